import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { findServerPrograms } from '../../src/cluster/server-programs.ts'

function program(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
  return path
}

it('the newest PostgreSQL of Debian is found, and what PATH has comes first', () => {
  using folder = new TemporaryFolder()
  const places = {
    path: join(folder.path, 'bin'),
    postgres: `${folder.path}/pg/*/bin`,
    nats: folder.path,
  }
  for (const version of ['14', '15'])
    for (const name of ['postgres', 'initdb']) program(`${folder.path}/pg/${version}/bin`, name)
  const nats = program(folder.path, 'nats-server')
  const found = {
    postgres: `${folder.path}/pg/15/bin/postgres`,
    initdb: `${folder.path}/pg/15/bin/initdb`,
    nats,
  }
  expect(findServerPrograms(places)).toEqual(found)
  const inPath = program(places.path, 'nats-server')
  expect(findServerPrograms(places)).toEqual({ ...found, nats: inPath })
})

it('what is missing is named, with the command that installs it', () => {
  using folder = new TemporaryFolder()
  const places = { path: folder.path, postgres: folder.path, nats: folder.path }
  expect(() => findServerPrograms(places)).toThrow('This machine has no PostgreSQL and no NATS.')
  program(folder.path, 'nats-server')
  expect(() => findServerPrograms(places)).toThrow('This machine has no PostgreSQL.')
})
