import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { RESULTS } from './harness/stored-results.ts'
import { resultsPage } from './harness/results-page.ts'

const page = new URL('results.md', RESULTS)
writeFileSync(page, resultsPage())
process.stdout.write(`${fileURLToPath(page)}\n`)
