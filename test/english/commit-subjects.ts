import { execFileSync } from 'node:child_process'
import { REPOSITORY } from '@hookline/testing/repository'

// node test/english/commit-subjects.ts [FOLDER]: fails if one of the last 50 commits has a subject
// that is not `area: change`.

const COMMITS = 50
const MAX_LENGTH = 72
const FORMAT = /^[a-z0-9][a-z0-9 ,./-]*: \S/

const log = execFileSync('git', ['log', '--no-merges', `-n${COMMITS}`, '--format=%h %s'], {
  cwd: process.argv[2] ?? REPOSITORY,
  encoding: 'utf8',
})
const bad = log
  .trim()
  .split('\n')
  .filter((line) => {
    const subject = line.slice(line.indexOf(' ') + 1)
    return subject.length > MAX_LENGTH || !FORMAT.test(subject)
  })
for (const line of bad)
  console.log(`${line}\n  Write "area: change", with at most ${MAX_LENGTH} characters.`)
process.exitCode = bad.length === 0 ? 0 : 1
