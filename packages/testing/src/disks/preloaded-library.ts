import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { skipOrFail } from '../run/skip-or-fail.ts'

/** If no library can be preloaded, skips the test, or fails it with HOOKLINE_REQUIRE_COMPILER=1. */
export function needsCompiler(skip: () => never): void {
  if (process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0) return
  skipOrFail('Linux and a C compiler, `cc`', 'HOOKLINE_REQUIRE_COMPILER', skip)
}

export function compile(source: URL, library: string): void {
  const files = ['-o', library, fileURLToPath(source)]
  execFileSync('cc', ['-shared', '-fPIC', '-O2', ...files, '-ldl', '-lpthread'])
}
