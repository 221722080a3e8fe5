import { parseArgs } from 'node:util'
import { benchmarks } from './benchmarks.ts'
import { compare } from './compare.ts'
import { machine } from './machine.ts'
import { report, save } from './report.ts'

// npm run bench                     every benchmark, five rounds, results kept in bench/results
// npm run bench -- delivery         one of them
// npm run bench -- --quick          one short round each: shows that they run, keeps nothing

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
})
const unknown = positionals.filter((name) => !(name in benchmarks))
if (unknown.length > 0) {
  console.error(
    `No such benchmark: ${unknown.join(', ')}. There are: ${Object.keys(benchmarks).join(', ')}.`,
  )
  process.exit(2)
}
const effort = values.quick ? { rounds: 1, seconds: 1 } : { rounds: 5, seconds: 4 }
const chosen = Object.entries(benchmarks).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
)

console.log(machine())
for (const [name, benchmark] of chosen) {
  const result = await compare(name, benchmark, effort)
  console.log(report(result))
  if (!values.quick) save(result)
}
