"""Parameters that several spaces share, declared once."""

from __future__ import annotations

from babelspace.runtime.parameters import Boolean, Choice, Integer, Nothing, Parameter, Real, Text

DIMENSIONS = Parameter("Dimensions of the space.", Integer(1))
TOLERANCE = Parameter("Largest relative residual of a dimension at which the iteration stops.", Real(above=0))
BLOCK_TERMS = Parameter("The largest vocabulary whose covariance is written out, 4 · columns² bytes.", Integer(1))
CENTER = Parameter("Subtract each language's mean projection.", Boolean())
POWER = Parameter("Each dimension is multiplied by its value to this power; 0 is the paper.", Real())
RIDGE = Parameter("Ridge in units of the mean squared length of the background documents; 0 is the paper.", Real(low=0))
ASSOCIATION = Parameter(
    "How strongly a document goes with a background document: product of weights, or the Okapi score of counts.",
    Choice("tf-idf", "bm25"),
)
PIVOT = Parameter("The language to translate into or to learn first; none chooses by the data.", Nothing(), Text())
CHECKPOINT = Parameter(
    "A folder to save training in; a fit that finds it goes on from there.", Nothing(), Text("a folder")
)
CHECKPOINT_EVERY = Parameter("Steps of training between two saves.", Integer(1))
ALPHA = Parameter("Concentration of the documents' topics; none is 50 / topics.", Nothing(), Real(above=0))
ETA = Parameter("Concentration of the topics' words.", Real(above=0))
OPTIMIZE_EVERY = Parameter("Fit the concentrations every so many steps; 0 is never.", Integer(0))
