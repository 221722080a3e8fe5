import { describe, expect, it, test } from 'vitest'
import { LOG_EVENTS } from '../../packages/server/src/telemetry/log-events.ts'
import { loggedEvents } from './logged-events.ts'
import { readRepositoryFile, repositoryFiles } from '@hookline/testing/repository'

// Includes the CLI, because it logs the start and the end of the service.
const logged = new Set(
  repositoryFiles('packages')
    .filter((path) => /^packages\/(?:server|cli)\/src\/.*\.ts$/.test(path))
    .flatMap((path) => loggedEvents(readRepositoryFile(path))),
)

test('only the last argument of a logger call is a log event', () => {
  const code = `
    // logger.info({}, 'a.comment')
    /** As in \`logger.info({}, 'a.description')\`. */
    this.#logger?.warn({ text: 'a.field' }, 'an.event')
    log.logger.info(
      { at: shown(now('a.clock')) },
      'another.event',
    )
    readonly name = 'a.worker'
    output.info({}, 'an.output')
    logger.info(fields, event) || emit('a.signal')`
  expect(loggedEvents(code)).toEqual(['an.event', 'another.event'])
})

describe.each(Object.entries(LOG_EVENTS))('the log event %s', (name, { meaning, help }) => {
  it('is logged by the code', () => {
    expect(logged).toContain(name)
  })

  it('explains its meaning and the remedy in sentences', () => {
    expect(meaning).toMatch(/^[A-Z`].*\.$/s)
    expect(help).toMatch(/^[A-Z`].*\.$/s)
  })
})
