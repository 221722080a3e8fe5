import { expect, test } from 'vitest'
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { LoopDisk } from './loop-disk.ts'

test('after a power cut, synced writes are kept and unsynced ones are lost', ({ skip }) => {
  using folder = new TemporaryFolder()
  const path = join(folder.path, 'disk')
  mkdirSync(path)
  if (!LoopDisk.isPossible()) skip()
  using disk = LoopDisk.mount(path)
  write(join(path, 'synced'), { sync: true })
  write(join(path, 'unsynced'), { sync: false })
  disk.cutPower()
  const files = readdirSync(path)
  expect(files).toContain('synced')
  expect(files).not.toContain('unsynced')
})

function write(path: string, { sync }: { readonly sync: boolean }): void {
  const file = openSync(path, 'w')
  writeSync(file, 'content')
  if (sync) fsyncSync(file)
  closeSync(file)
}
