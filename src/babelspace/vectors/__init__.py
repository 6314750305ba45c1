"""Compare vectors: similarities, exact neighbours, hubness corrections, ranks of mates; knows no models."""
