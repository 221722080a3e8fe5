import { LOOPBACK_NETWORKS } from '../loopback.ts'
import type { ClusterFolder } from './cluster-folder.ts'
import { type ProgramListener, SupervisedProgram } from './supervised-program.ts'

export interface NodeProgramOptions {
  readonly folder: ClusterFolder
  readonly number: number
  readonly port: number
  /** The files of the secrets that all nodes share, by the variable that names each. */
  readonly secretFiles: Readonly<Record<string, string>>
  readonly on: ProgramListener
  /** A line of its log. */
  readonly onLine: (name: string, line: string) => void
}

const CHECK_MS = 1_000

/** A node of Hookline, which is this command again, and its URL. */
export function nodeProgram({
  folder,
  number,
  port,
  secretFiles,
  on,
  onLine,
}: NodeProgramOptions): {
  readonly node: SupervisedProgram
  readonly url: string
} {
  const name = `node ${number}`
  const url = `http://127.0.0.1:${port}`
  const settings = {
    port,
    'data-dir': folder.pathOf(`node-${number}`),
    backend: 'cluster',
    'allowed-networks': LOOPBACK_NETWORKS.join(','),
    'log-level': 'warn',
  }
  const flags = Object.entries(settings).flatMap(([flag, value]) => [`--${flag}`, String(value)])
  const node = new SupervisedProgram({
    name,
    program: process.execPath,
    args: [...process.execArgv, process.argv[1]!, 'start', ...flags],
    env: { ...withoutSettings(process.env), ...secretFiles },
    stopSignal: 'SIGTERM',
    isReady: () => isReady(url),
    on,
    onLine: (line) => onLine(name, line),
  })
  return { node, url }
}

/** All nodes have the same settings, those of this command. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const entries = Object.entries(environment).filter(([name]) => !name.startsWith('HOOKLINE_'))
  return Object.fromEntries(entries)
}

async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(CHECK_MS) })).ok
}
