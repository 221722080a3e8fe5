import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { REPOSITORY } from '@hookline/testing/repository'

const LINES = 20_000

it('prints the diff within 100 lines when a comparison of long text fails', () => {
  const printed = run(`
    const lines = Array.from({ length: ${LINES} }, (_, index) => 'line ' + index)
    it('differs', () => {
      for (let i = 0; i < ${LINES}; i++) console.log('logged ' + i)
      expect([...lines.slice(0, 9_000), 'another line', ...lines.slice(9_001)].join('\\n')).toBe(lines.join('\\n'))
    })`)
  expect(printed).toContain('- line 9000\n+ another line')
  expect(printed).toContain('logged 0\n')
  expect(printed.split('\n').length).toBeLessThan(100)
})

it('truncates a long message and its long lines', () => {
  const printed = run(`
    it('throws', () => {
      throw new Error('a'.repeat(${LINES}) + '\\nb'.repeat(${LINES}))
    })`)
  expect(printed).toContain(`(${LINES} characters)`)
  expect(printed.split('\n').length).toBeLessThan(100)
})

it('prints only the summary when all tests pass, and each reason for skipped tests once', () => {
  const printed = run(`
    it('passes', () => console.log('a line of a passing test'))
    for (const name of ['one', 'two']) it(name, ({ skip }) => {
      console.log('skipped: requires a server')
      skip()
    })`)
  expect(printed).not.toContain('a line')
  expect(printed.match(/skipped: requires a server/g)).toHaveLength(1)
  expect(printed).toMatch(/Tests +1 passed \| 2 skipped/)
  const lines = printed.split('\n').filter((line) => line.trim() !== '')
  expect(lines.length, printed).toBeLessThan(10)
})

it('names a file that hangs', () => {
  const blocked = `
    it('blocks its thread', () => {
      const end = Date.now() + 2_000
      while (Date.now() < end);
    })`
  expect(run(blocked, { longMs: 500 })).toContain('still running after 0.5 s: test/a.test.ts')
  expect(run(blocked)).not.toContain('still running')
})

/** Runs this test code in a separate project, with our reporter and settings. */
function run(tests: string, options = {}): string {
  using folder = new TemporaryFolder()
  const vitest = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
  mkdirSync(join(folder.path, 'test'))
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder.path, 'node_modules'))
  writeFileSync(
    join(folder.path, 'test/a.test.ts'),
    `import { expect, it } from 'vitest'\n${tests}\n`,
  )
  writeFileSync(
    join(folder.path, 'vitest.config.ts'),
    `import { OUTPUT } from ${JSON.stringify(join(REPOSITORY, 'packages/testing/src/run/output.ts'))}
     const reporters = OUTPUT.reporters.map((path) => [path, ${JSON.stringify(options)}])
     export default { test: { ...OUTPUT, reporters } }`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, [vitest, 'run'], {
    cwd: folder.path,
    encoding: 'utf8',
  })
  return stripVTControlCharacters(stdout + stderr)
}
