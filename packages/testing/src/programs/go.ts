import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { skipOrFail } from '../run/skip-or-fail.ts'

const run = promisify(execFile)

/** The version that `clients/go/go.mod` requires. */
const MIN_MINOR = 21
/** Go compiles its standard library if its cache is empty. */
export const GO_BUILD_MS = 300_000

const BINARIES = fileURLToPath(new URL('../../../../node_modules/.cache/go/', import.meta.url))

export function isGoInstalled(): boolean {
  const { stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' })
  return Number(/^go1\.(\d+)/.exec(stdout ?? '')?.[1]) >= MIN_MINOR
}

/** Without Go, skips the test, or fails it with HOOKLINE_REQUIRE_LANGUAGES=1. */
export function skipWithoutGo(skip: () => never): void {
  if (!isGoInstalled()) skipOrFail(`Go 1.${MIN_MINOR}`, 'HOOKLINE_REQUIRE_LANGUAGES', skip)
}

/** Runs the Go command in a folder. If it fails, rejects with its output. */
export async function go(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  // A Go workspace on the machine must not replace the required modules.
  const env = { ...process.env, GOWORK: 'off', ...environment }
  const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 }
  const { stdout, stderr } = await run('go', args, options).catch((error: unknown) => {
    const { stdout: printed, stderr: reason } = error as { stdout: string; stderr: string }
    throw new Error(`go ${args.join(' ')} failed: ${reason}${printed}`)
  })
  return stdout + stderr
}

/** Builds a program of a module. Resolves with the path of the file. */
export async function buildGo(module: string, program: string): Promise<string> {
  mkdirSync(BINARIES, { recursive: true })
  const file = join(BINARIES, `${basename(module)}-${program}`)
  await go(module, ['build', '-o', file, `./${program}`])
  return file
}
