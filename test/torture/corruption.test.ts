import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { type CorruptionBase, makeBases } from './corruption/bases.ts'
import { Costs } from './corruption/cost.ts'
import {
  corrupt,
  type Corruption,
  type FileName,
  FILES,
  type Kind,
  KINDS,
} from './corruption/corruption.ts'
import { NoteReceiver } from './corruption/note-receiver.ts'
import { Host } from './corruption/host.ts'
import { type JudgedCorruption, line, table } from './corruption/report.ts'
import type { Lane } from './corruption/running-trial.ts'
import { observe } from './corruption/trial.ts'
import { judge } from './corruption/verdict.ts'
import { SEED } from '@hookline/testing/run/seed'

const CORRUPTIONS = Number(process.env['HOOKLINE_TEST_CORRUPTIONS'] ?? 100)
const LANES = 2
/** A host process is replaced after this many cases. */
const MAX_SERVICES = 60

/** Half of the cases corrupt the database, a quarter its write-ahead log. */
function placeOf(random: () => number): { readonly kind: Kind; readonly file: FileName } {
  const [at, kind] = [random(), KINDS[Math.floor(random() * KINDS.length)]!]
  if (at < 0.5) return { kind, file: 'hookline.db' }
  if (at < 0.75) return { kind, file: 'hookline.db-wal' }
  return { kind, file: FILES[2 + Math.floor(random() * (FILES.length - 2))]! }
}

test(`the service reports everything that a corrupted disk has lost, over ${CORRUPTIONS} cases of corruption`, async () => {
  const indexes = Array.from({ length: CORRUPTIONS }, (_, index) => index).values()
  const judged: JudgedCorruption[] = []
  const startedAt = Date.now()
  await Promise.all(Array.from({ length: LANES }, () => runLane(indexes, judged)))
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log(`seed ${SEED}, ${seconds} s\n${table(judged)}`)
  const failed = judged.filter(({ outcome }) => outcome === 'FAILED')
  expect(failed.map(line), 'corruption with unreported losses').toEqual([])
})

/** Works through the shared indexes. Each lane has its own folders, host process and receiver. */
async function runLane(indexes: Iterable<number>, judged: JudgedCorruption[]): Promise<void> {
  using folder = new TemporaryFolder()
  await using receiver = await NoteReceiver.open()
  await using host = new Host()
  const bases = await makeBases(folder.path, host, receiver)
  const costs = new Map(bases.all.map((base) => [base, new Costs(base)]))
  let services = 0
  for (const index of indexes) {
    if (++services % MAX_SERVICES === 0) await host.kill()
    const random = seededRandom(SEED * 10_000 + index)
    const base = bases.all[Math.floor(random() * bases.all.length)]!
    const at = { folder: folder.path, costs: costs.get(base)! }
    judged.push(
      await tryCorruption(index, base, { ...at, random, lane: { host, receiver, bases } }),
    )
  }
}

async function tryCorruption(
  index: number,
  base: CorruptionBase,
  on: {
    readonly folder: string
    readonly costs: Costs
    readonly random: () => number
    readonly lane: Lane
  },
): Promise<JudgedCorruption> {
  const [work, untouched] = [join(on.folder, 'work'), join(on.folder, 'untouched')]
  cpSync(base.path, work, { recursive: true })
  try {
    let done: Corruption | undefined
    while (done === undefined)
      done = corrupt({ ...placeOf(on.random), folder: work, older: base.older }, on.random)
    cpSync(work, untouched, { recursive: true })
    const observed = await observe(work, base, on.lane)
    const verdict = judge(observed, on.costs.of(done, untouched))
    return { index, base: base.name, ...done, ...verdict, observed }
  } finally {
    for (const each of [work, untouched]) rmSync(each, { recursive: true, force: true })
  }
}
