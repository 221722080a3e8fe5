import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, afterAll, describe, expect, test, type TestContext } from 'vitest'
import { readRepositoryFile } from '@hookline/testing/repository'
import { textsOf } from '@hookline/testing/pages/fences'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'

const run = promisify(execFile)
const page = readRepositoryFile('docs/reference/ingestion-api.md')
const commands = textsOf(page, 'sh').filter((command) => command.includes('curl '))
const [refusedInBatch] = textsOf(page, 'text')
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)

let service: RunningService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

function responseTo(command: string): string {
  if (!command.includes('/v1/batch')) return '{"success":true}'
  if (!command.includes('X-Strict-Mode')) return refusedInBatch!
  const [, rejected] = /("rejected".*)$/.exec(refusedInBatch!)!
  const message = 'A track call has no event name.'
  return `{"success":false,"code":"event_not_defined","message":"${message}","error":"event_not_defined: ${message}",${rejected}`
}

describe('the commands of docs/reference/ingestion-api.md', () => {
  test('are all found on the page', () => {
    expect(commands.length).toBeGreaterThan(13)
  })

  test.for(commands)('get the response on the page when pasted: %s', async (command, context) => {
    requireCurl(context)
    const pasted = command
      .replaceAll('http://127.0.0.1:4800', service.url)
      .replaceAll('wk_…', service.source.writeKey)
    const { stdout } = await run('sh', ['-c', pasted])
    expect(stdout).toBe(responseTo(command))
  })
})

function requireCurl(context: TestContext): void {
  if (!hasCurl) skipOrFail('curl', 'HOOKLINE_REQUIRE_CURL', () => context.skip())
}
