import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { go, GO_BUILD_MS, skipWithoutGo } from '@hookline/testing/programs/go'
import { caseCount } from '@hookline/testing/run/case-count'

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const MODULE = folder('../../clients/go')
const MODULES = [MODULE, folder('../clients/adapters/go'), folder('../../bench/programs/go')]

const FUZZ_TARGETS = readdirSync(MODULE)
  .filter((name) => name.endsWith('_test.go'))
  .flatMap((name) => [...readFileSync(`${MODULE}/${name}`, 'utf8').matchAll(/^func (Fuzz\w+)\(/gm)])
  .map(([, name]) => name!)

test(
  'the tests of the Go client library pass under the race detector',
  async ({ skip }) => {
    skipWithoutGo(skip)
    // The race detector needs a C compiler.
    await go(MODULE, ['test', '-race', '-count=1', '-timeout=2m', './...'], { CGO_ENABLED: '1' })
  },
  GO_BUILD_MS,
)

test.for(FUZZ_TARGETS)(
  '%s finds no failing input',
  { timeout: GO_BUILD_MS },
  async (target, { skip }) => {
    skipWithoutGo(skip)
    const time = `-fuzztime=${caseCount('HOOKLINE_TEST_GO_FUZZ_S', 3)}s`
    await go(MODULE, ['test', '-run=none', `-fuzz=^${target}$`, time])
  },
)

test.for(MODULES)(
  '%s passes gofmt and go vet',
  { timeout: GO_BUILD_MS },
  async (module, { skip }) => {
    skipWithoutGo(skip)
    expect(await go(module, ['run', 'cmd/gofmt', '-l', '.'])).toBe('')
    await go(module, ['vet', './...'])
  },
)

test('the Go client library depends only on the standard library', () => {
  expect(readFileSync(`${MODULE}/go.mod`, 'utf8')).not.toContain('require')
})
