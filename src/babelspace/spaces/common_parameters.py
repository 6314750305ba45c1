"""Parameters that several spaces share, declared once."""

from __future__ import annotations

from babelspace.runtime.parameters import Boolean, Choice, Integer, Nothing, Parameter, Real, Text

DIMENSIONS = Parameter("Dimensions of the space.", Integer(1))
TOLERANCE = Parameter(
    "Largest relative residual of a dimension at which the iteration stops. Retrieval does not notice the default; "
    "tests of formulas want less.",
    Real(above=0),
)
BLOCK_TERMS = Parameter("The largest vocabulary whose covariance is written out, 4 · columns² bytes.", Integer(1))
CENTER = Parameter("Subtract each language's mean projection.", Boolean())
POWER = Parameter("Each dimension is multiplied by its value to this power; 0 is the paper.", Real())
RIDGE = Parameter("Ridge ρ in mean squared lengths of the background documents; 0 is the paper.", Real(low=0))
ASSOCIATION = Parameter(
    "How strongly a document goes with a background document: product of weights, or the Okapi score of counts.",
    Choice("tf-idf", "bm25"),
)
PIVOT = Parameter(
    "The language to translate into or to learn first; none chooses by the data. That is for translation the one with "
    "the most documents (among equals the first by name), for topics the one with the most tokens.",
    Nothing(),
    Text(),
)
CHECKPOINT = Parameter(
    "A folder to save training in; a fit that finds it goes on from there. The result is that of a fit on the same "
    "data and settings that was never stopped.",
    Nothing(),
    Text("a folder"),
)
CHECKPOINT_EVERY = Parameter("Sweeps, steps or batches of training between two saves.", Integer(1))
ALPHA = Parameter("Concentration α of the documents' topics; none is 50 / topics.", Nothing(), Real(above=0))
ETA = Parameter("Concentration η of the topics' words.", Real(above=0))
OPTIMIZE_EVERY = Parameter(
    "Fit the concentrations every so many steps; 0 is never. There is then an α for each topic and an η for each "
    "language (Minka's fixed point).",
    Integer(0),
)
