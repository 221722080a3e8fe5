import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const PROGRAM = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  await import('@hookline/server')
  console.log(JSON.stringify(loaded))
`

test('a service with the embedded backend does not load the cluster backend or its clients', async () => {
  const args = ['--conditions=hookline-source', '--input-type=module', '--eval', PROGRAM]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
    maxBuffer: 16 * 2 ** 20,
  })
  const loaded = JSON.parse(stdout) as string[]
  expect(loaded.filter((url) => url.includes('backend/embedded/')).length).toBeGreaterThan(10)
  const ofCluster = /backend\/cluster\/|node_modules\/(?:pg|kysely|@nats-io)\//
  expect(loaded.filter((url) => ofCluster.test(url))).toEqual([])
})
