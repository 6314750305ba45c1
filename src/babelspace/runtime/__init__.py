"""What every layer needs: seeds, threads, progress, files that appear whole, artifacts."""
