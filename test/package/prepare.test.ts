import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ROOT } from '../../release/packages.ts'

test('npm ci --omit=dev, which installs no build tools, skips the console build and succeeds', () => {
  using clone = new TemporaryFolder()
  copyFileSync(join(ROOT, 'package.json'), join(clone.path, 'package.json'))
  const prepare = () => execFileSync('npm', ['run', 'prepare'], { cwd: clone.path, stdio: 'pipe' })
  expect(prepare).not.toThrow()
})
