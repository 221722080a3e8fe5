import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { median } from '../benchmarks/benchmark.ts'
import { temporaryDataDir } from '../load/temporary-data-dir.ts'

/** The machine of the measurements: processors, memory, disk, Node. */
export function machine(): string {
  const [{ model } = { model: 'unknown processor' }] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  const disk = `fsync ${fsyncMs().toFixed(2)} ms`
  return `${cpus().length} × ${model}, ${memory}, ${disk}, Node ${process.version}`
}

/** The commit that is checked out, and whether there are uncommitted changes. */
export function commit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()
  try {
    const isChanged = git('status', '--porcelain', '--', ':!bench/results', ':!docs') !== ''
    return git('rev-parse', '--short', 'HEAD') + (isChanged ? ' with changes' : '')
  } catch {
    return 'unknown'
  }
}

const SYNCS = 50

/** The median time to sync a page to the disk of the data folder, in milliseconds. */
function fsyncMs(): number {
  using folder = temporaryDataDir()
  const file = openSync(join(folder.path, 'page'), 'w')
  const page = Buffer.alloc(4096)
  const times = Array.from({ length: SYNCS }, () => {
    writeSync(file, page)
    const started = performance.now()
    fsyncSync(file)
    return performance.now() - started
  })
  closeSync(file)
  return median(times)
}
