"""Reports: baseline, snapshots, comparison and the printed text."""
