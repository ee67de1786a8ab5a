"""The study's two reports to look at: a page for a browser and a paper, both made from study.json alone."""
