// Loaded first in every process of a benchmark, so that none outlives an interrupted benchmark.
process.on('disconnect', () => process.exit())
