import fs, {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { readIfExists, writeDurably } from '../../src/util/durable-file.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const modeOf = (file: string): number => statSync(file).mode & 0o777

/** Records the fs calls that make a file durable, and still runs them. */
function recordedSteps(act: () => void): string[] {
  const steps: string[] = []
  const { fsyncSync, renameSync } = fs
  vi.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    steps.push(`fsync of the ${fs.fstatSync(handle).isDirectory() ? 'folder' : 'file'}`)
    fsyncSync(handle)
  })
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    steps.push('rename')
    renameSync(from, to)
  })
  syncBuiltinESMExports()
  try {
    act()
  } finally {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  }
  return steps
}

describe('a durable file', () => {
  test('is written with a trailing newline, and read without it', () => {
    using folder = new TemporaryFolder()
    const file = join(folder.path, 'key')
    expect(readIfExists(file)).toBeUndefined()
    writeDurably(file, 'the key')
    expect(readFileSync(file, 'utf8')).toBe('the key\n')
    expect(readIfExists(file)).toBe('the key')
  })

  test('is readable only by its owner, even if the file that it replaces was readable by others', () => {
    using folder = new TemporaryFolder()
    const file = join(folder.path, 'key')
    const umask = process.umask(0)
    try {
      writeDurably(file, 'first')
      expect(modeOf(file)).toBe(0o600)
      chmodSync(file, 0o644)
      writeDurably(file, 'second')
      expect(modeOf(file)).toBe(0o600)
    } finally {
      process.umask(umask)
    }
    expect(readIfExists(file)).toBe('second')
  })

  test.skipIf(process.platform === 'win32')(
    'is synced before it gets its name, and then its folder is synced',
    () => {
      using folder = new TemporaryFolder()
      const file = join(folder.path, 'key')
      writeFileSync(file, 'old')
      expect(recordedSteps(() => writeDurably(file, 'new'))).toEqual([
        'fsync of the file',
        'rename',
        'fsync of the folder',
      ])
      expect(readIfExists(file)).toBe('new')
      expect(readdirSync(folder.path)).toEqual(['key'])
    },
  )

  test('that cannot be written leaves nothing behind', () => {
    using folder = new TemporaryFolder()
    const file = join(folder.path, 'key')
    mkdirSync(file)
    expect(() => writeDurably(file, 'the key')).toThrow(
      expect.objectContaining({ syscall: 'rename' }),
    )
    expect(readdirSync(folder.path)).toEqual(['key'])
  })
})
