import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('entries/idle-program.ts', import.meta.url))

test.runIf(existsSync('/proc/self/task'))(
  'an idle host and its thread wake fewer than 20 times a second, and let the process exit',
  async () => {
    const args = ['--conditions=hookline-source', PROGRAM]
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 30_000 })
    const { wakesPerSecond, megabytes } = JSON.parse(stdout)
    console.log(`Idle: ${wakesPerSecond} wakes a second, and ${megabytes} MB for the thread.`)
    expect(wakesPerSecond).toBeLessThan(20)
    expect(megabytes).toBeLessThan(40)
  },
)
