import { parseArgs } from 'node:util'
import { againstBaseline, readBaseline, toBaseline, writeBaseline } from './baseline.ts'
import type { Measured } from './benchmark.ts'
import { benchmarks } from './benchmarks.ts'
import { machine } from './machine.ts'
import { report, save } from './report.ts'

// npm run bench                     every benchmark, five rounds, results kept in bench/results
// npm run bench -- delivery         one of them, or several
// npm run bench -- --quick          one short round each on less data: shows that each runs and that none has become
//                                   much worse than bench/baseline.json; keeps nothing
// npm run bench -- --quick --baseline    makes that file

const FULL = { rounds: 5, seconds: 4, isQuick: false }
const QUICK = { rounds: 1, seconds: 1, isQuick: true }

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
    `No such benchmark: ${unknown.join(', ')}. There are: ${Object.keys(benchmarks).join(', ')}.`,
  )
  process.exit(2)
}
const chosen = Object.entries(benchmarks).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
)

console.log(`${machine()}\nnpm run bench -- ${process.argv.slice(2).join(' ')}`)
const started = performance.now()
const all: Record<string, Measured> = {}
for (const [name, benchmark] of chosen) {
  const measured = await benchmark.run(values.quick ? QUICK : FULL)
  all[name] = measured
  console.log(report(name, measured))
  if (!values.quick) save(name, measured)
}
console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`)

if (values.quick && values.baseline) {
  const made = Object.entries(all).map(([name, { figures }]) => [name, toBaseline(figures)])
  writeBaseline({ ...readBaseline(), ...Object.fromEntries(made) })
} else if (values.quick) {
  compareWithBaseline()
}

/** Says how each figure stands to the baseline, and fails where one has broken down. */
function compareWithBaseline(): void {
  const known = readBaseline()
  for (const [name, { figures }] of Object.entries(all)) {
    for (const { name: figure, ratio, isBroken } of againstBaseline(figures, known[name])) {
      const verdict = isBroken ? ': MUCH WORSE' : ''
      console.log(`${name}, ${figure}: ${ratio.toFixed(2)} of the baseline${verdict}`)
      if (isBroken) process.exitCode = 1
    }
  }
}
