"""Loops of word alignment: IBM models, HMM, fertility, cepts."""
