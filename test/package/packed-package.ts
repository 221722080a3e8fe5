import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const bin = (name: string) => `${REPOSITORY}/node_modules/.bin/${name}`

/** Builds the packages that users of the client library install. */
export async function buildClient(): Promise<void> {
  // By force: what the compiler remembers of its last build may be of files that are gone.
  await run(bin('tsc'), ['-b', '--force', 'packages/client'], { cwd: REPOSITORY })
}

/** The tarball, in `folder`, that publishing this package folder would upload. */
export async function pack(packageFolder: string, folder: string): Promise<string> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { cwd: packageFolder })
  return `${folder}/${fileNameIn(stdout)}`
}

/** The folder of a workspace. */
export function workspace(name: 'client' | 'protocol'): string {
  return `${REPOSITORY}/packages/${name}`
}

/** Makes `folder` a project that has client and protocol installed as they are published. */
export async function installClient(folder: string): Promise<void> {
  await buildClient()
  for (const name of ['client', 'protocol'] as const) {
    const target = `${folder}/node_modules/@hookline/${name}`
    mkdirSync(target, { recursive: true })
    const tarball = await pack(workspace(name), folder)
    await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'])
  }
}

/** What publint and attw have against a tarball, as they say it; nothing where they are content. */
export async function faultsOf(tarball: string): Promise<string[]> {
  // publint colours its words wherever the environment says that it is a CI's.
  const env = { ...process.env, NO_COLOR: '1' }
  const checks = [
    run(bin('publint'), ['run', tarball, '--strict'], { env }),
    run(bin('attw'), [tarball, '--profile', 'esm-only', '--format', 'ascii'], { env }),
  ]
  const results = await Promise.allSettled(checks)
  return results.flatMap((result) => {
    if (result.status === 'fulfilled') return []
    const { stdout, stderr } = result.reason as { stdout: string; stderr: string }
    return [stdout + stderr]
  })
}

/** npm 11 gives a list, npm 12 an object by name. */
function fileNameIn(json: string): string {
  const [packed] = Object.values(JSON.parse(json) as Record<string, { filename: string }>)
  return packed!.filename
}
