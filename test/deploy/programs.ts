import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'vitest'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'

/** Debian's folders for system programs, which may not be in the PATH of a user. */
const ALSO_IN = ['/usr/sbin', '/sbin']

/** Skips the test unless the machine has these programs, or fails it if HOOKLINE_REQUIRE_DEPLOY is 1. */
export function needPrograms({ skip }: TestContext, ...names: readonly string[]): void {
  const missing = names.filter((name) => pathOf(name) === undefined)
  if (missing.length > 0) skipOrFail(missing.join(' and '), 'HOOKLINE_REQUIRE_DEPLOY', skip)
}

/** Skips the test unless it runs as root, for mounts and namespaces. */
export function needRoot({ skip }: TestContext): void {
  if (process.getuid?.() !== 0) skipOrFail('root', 'HOOKLINE_REQUIRE_DEPLOY', skip)
}

/** The path of a program on this machine. */
export function pathOf(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...ALSO_IN]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** Runs a program and returns its output. @throws with its error output, unless it exits with 0 */
export function outputOf(program: string, args: readonly string[], env = process.env): string {
  return execFileSync(pathOf(program) ?? program, args, {
    env,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
