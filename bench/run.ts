import { parseArgs } from 'node:util'
import { againstBaseline, readBaseline, toBaseline, writeBaseline } from './report/baseline.ts'
import type { Measurement } from './benchmarks/benchmark.ts'
import { benchmarks } from './benchmarks/benchmarks.ts'
import { commit, machine } from './report/machine.ts'
import { report } from './report/report.ts'
import { saveResult } from './report/results.ts'

// npm run bench                     runs every benchmark for five rounds and stores the results in bench/results
// npm run bench -- delivery         runs one or several of them
// npm run bench -- --quick          runs each for one short round on less data, and fails if one is much worse than
//                                   bench/baseline.json three times in a row; stores no results
// npm run bench -- --quick --baseline    writes that file
//
// benchmarks/: benchmarks and their goals
// load/: load generators and receivers
// programs/: programs for separate processes
// profile/: analysis of CPU times and of thread profiles
// report/: output, stored results and plots

const FULL = { rounds: 5, seconds: 4, isQuick: false }
const QUICK = { rounds: 1, seconds: 1, isQuick: true }
/** The number of repeated measurements before a figure is considered much worse. */
const MEASURED_AGAIN = 2

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    baseline: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((name) => !(name in benchmarks))
if (unknown.length > 0) {
  console.error(
    `Unknown benchmark: ${unknown.join(', ')}. Available: ${Object.keys(benchmarks).join(', ')}.`,
  )
  process.exit(2)
}
const chosen = Object.entries(benchmarks).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
)

process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143))

const ranOn = machine()
const command = [
  'npm run bench',
  ...(process.argv.length > 2 ? ['--'] : []),
  ...process.argv.slice(2),
]
console.log(`${ranOn}, commit ${commit()}\n${command.join(' ')}`)
const settings = values.quick ? QUICK : FULL
const started = performance.now()
const all: Record<string, Measurement> = {}
for (const [name, benchmark] of chosen) {
  const measured = await benchmark.run(settings)
  all[name] = measured
  console.log(report(name, measured))
  if (!values.quick) saveResult(name, measured, { ...settings, machine: ranOn })
}
console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`)

if (!values.quick) {
  // Writes the page that shows the results, and its plots.
  await import('../docs/generator/generate.ts')
} else if (values.baseline) {
  const entries = Object.entries(all).map(([name, { figures }]) => [name, toBaseline(figures)])
  writeBaseline({ ...readBaseline(), ...Object.fromEntries(entries) })
} else {
  await compareWithBaseline()
}

/**
 * Prints each figure's ratio to the baseline. A benchmark with a much worse figure is measured
 * again, because the machine may have been busy during its one short round. Sets the exit code if a
 * figure is much worse each time.
 */
async function compareWithBaseline(): Promise<void> {
  for (const [name, benchmark] of chosen) {
    let isWorse = isMuchWorse(name, all[name]!)
    for (let again = 0; isWorse && again < MEASURED_AGAIN; again++) {
      const measured = await benchmark.run(settings)
      console.log(`\nmeasured again: ${report(name, measured)}`)
      isWorse = isMuchWorse(name, measured)
    }
    if (isWorse) process.exitCode = 1
  }
}

function isMuchWorse(name: string, { figures }: Measurement): boolean {
  const compared = againstBaseline(figures, readBaseline()[name])
  for (const { name: figure, ratio, isBroken } of compared) {
    const verdict = isBroken ? ': MUCH WORSE' : ''
    console.log(`${name}, ${figure}: ${ratio.toFixed(2)} of the baseline${verdict}`)
  }
  return compared.some(({ isBroken }) => isBroken)
}
