import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ROOT } from '../../release/packages.ts'

const run = promisify(execFile)

const bin = (name: string) => `${ROOT}node_modules/.bin/${name}`

/** The problems that publint finds in a tarball. */
export function publintProblems(tarball: string): Promise<string[]> {
  return problemsOf(bin('publint'), ['run', tarball, '--strict'])
}

/** The problems that attw finds, which resolves the types of every entry point. */
export function typeProblems(tarball: string): Promise<string[]> {
  return problemsOf(bin('attw'), [tarball, '--profile', 'esm-only', '--format', 'ascii'])
}

async function problemsOf(program: string, args: readonly string[]): Promise<string[]> {
  try {
    // publint colours its output in CI.
    await run(program, args, { env: { ...process.env, NO_COLOR: '1' } })
    return []
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return [stdout + stderr]
  }
}
