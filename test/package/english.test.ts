import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { REPOSITORY } from '@hookline/testing/repository'

test('npm run check:english fails for stilted phrases, and names their lines', () => {
  using folder = new TemporaryFolder()
  const page = join(folder.path, 'page.md')
  // In parts, so that the check does not find them here.
  const stilted = ['It is', 'told to', 'whoever asks.'].join(' ')
  writeFileSync(page, `The backlog.\n\n${stilted}\n`)
  expect(check('prose.ts', page)).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/page\.md:3 "whoever"[^]+page\.md:3 "is told/),
  })
  writeFileSync(page, 'The backlog is reported to every reader.\n')
  expect(check('prose.ts', page)).toMatchObject({ status: 0, stdout: '' })
})

test('npm run check:english fails for a commit subject without an area, and for a long one', () => {
  using folder = new TemporaryFolder()
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder.path, stdio: 'pipe' })
  const commit = (subject: string) =>
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-qm', subject)
  git('init', '-q')
  commit('wal: report missing commits at startup')
  expect(check('commit-subjects.ts', folder.path)).toMatchObject({ status: 0, stdout: '' })
  commit('A missing commit is reported')
  commit(`wal: ${'x'.repeat(70)}`)
  const { status, stdout } = check('commit-subjects.ts', folder.path)
  expect(status).toBe(1)
  expect(stdout.match(/Write "area: change"/g)).toHaveLength(2)
})

function check(program: string, path: string) {
  const args = ['--conditions=hookline-source', join(REPOSITORY, 'test/english', program), path]
  return spawnSync(process.execPath, args, { encoding: 'utf8' })
}
