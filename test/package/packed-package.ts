import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const bin = (name: string) => `${REPOSITORY}/node_modules/.bin/${name}`

/** Builds the packages that users of the client library install. */
export async function buildClient(): Promise<void> {
  // --force ignores the compiler's record of its last build, which may be about deleted files.
  await run(bin('tsc'), ['-b', '--force', 'packages/client'], { cwd: REPOSITORY })
}

/** Packs a package folder as publishing would. Resolves with the path of the tarball, in `folder`. */
export async function pack(packageFolder: string, folder: string): Promise<string> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { cwd: packageFolder })
  return `${folder}/${fileNameIn(stdout)}`
}

/** The path of a workspace. */
export function workspace(name: 'client' | 'protocol'): string {
  return `${REPOSITORY}/packages/${name}`
}

/** Installs client and protocol in `folder` as they would be published. */
export async function installClient(folder: string): Promise<void> {
  await buildClient()
  for (const name of ['client', 'protocol'] as const) {
    const target = `${folder}/node_modules/@hookline/${name}`
    mkdirSync(target, { recursive: true })
    const tarball = await pack(workspace(name), folder)
    await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'])
  }
}

/** The reports of publint and attw about a tarball; empty if they find no fault. */
export async function faultsOf(tarball: string): Promise<string[]> {
  // publint colours its output in a CI environment.
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

/** npm 11 prints a list, npm 12 an object by name. */
function fileNameIn(json: string): string {
  const [packed] = Object.values(JSON.parse(json) as Record<string, { filename: string }>)
  return packed!.filename
}
