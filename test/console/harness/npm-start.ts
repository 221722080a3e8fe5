import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Runs `hookline dev`, as `npm start` does, in an empty data folder. Resolves with its address. */
export async function npmStart(): Promise<string> {
  const folder = new TemporaryFolder()
  const flags = ['dev', '--json', '--port', '0', '--data-dir', folder.path]
  const child = spawn(`${ROOT}node_modules/.bin/hookline`, flags, { cwd: ROOT })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    folder[Symbol.dispose]()
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const document = JSON.parse(line) as { kind: string; url: string }
    if (document.kind === 'ready') return document.url
  }
  throw new Error('hookline dev exited before it was ready.')
}
