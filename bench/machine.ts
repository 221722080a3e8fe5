import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'

/** What a figure was obtained on: processor, memory, Node, commit. */
export function machine(): string {
  const [{ model } = { model: 'unknown processor' }] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return `${cpus().length} × ${model}, ${memory}, Node ${process.version}, commit ${commit()}`
}

function commit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()
  try {
    return (
      git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') ? ' with changes' : '')
    )
  } catch {
    return 'unknown'
  }
}
