import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { findPrograms } from '../../src/cluster/local-cluster.ts'

/** Writes a program that prints its version. */
function program(folder: string, name: string, version = '15.1'): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\necho "${name}: v${version}"\n`)
  chmodSync(path, 0o755)
  return path
}

it('finds the first PostgreSQL, and the first nats-server that is recent enough', () => {
  using folder = new TemporaryFolder()
  const [inPath, newer, older] = ['bin', '15', '14'].map((name) => join(folder.path, name))
  for (const each of [newer!, older!])
    for (const name of ['postgres', 'initdb']) program(each, name)
  program(inPath!, 'nats-server', '2.9.10')
  const nats = program(older!, 'nats-server', '2.10.23')
  expect(findPrograms(inPath, [newer!, older!])).toEqual({
    postgres: join(newer!, 'postgres'),
    initdb: join(newer!, 'initdb'),
    nats,
  })
})

it('names the missing servers, with the commands that install them', () => {
  using folder = new TemporaryFolder()
  const [hint, message] = [/apt install .+brew install/, /^Not found: PostgreSQL, nats-server/]
  expect(() => findPrograms(folder.path, [])).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    }),
  )
  program(folder.path, 'nats-server', '2.10.9')
  for (const name of ['postgres', 'initdb']) program(folder.path, name)
  expect(() => findPrograms(folder.path, [])).toThrow('Not found: nats-server 2.10.23 or newer.')
})
