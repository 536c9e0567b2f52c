"""Reports: baseline, snapshots, comparison and the printed text. Knows no pytest."""
