import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const OPEN = new URL('../../src/telemetry/opentelemetry/open.ts', import.meta.url).href
const SERVICE = new URL('../../src/service.ts', import.meta.url).href

/** Prints the loaded packages of OpenTelemetry. The API has only types and constants, and prom-client loads it as well. */
const PROGRAM = `
  import { registerHooks } from 'node:module'
  const loaded = new Set()
  registerHooks({ resolve: (name, context, next) => {
    if (/^@opentelemetry.(?!api$)/.test(name)) loaded.add(name)
    return next(name, context)
  } })
  const [{ openTracing }] = await Promise.all([import('${OPEN}'), import('${SERVICE}')])
  await openTracing({ continuesTraces: true, version: '1', logger: { warn() {} } })
  console.log(JSON.stringify([...loaded]))
`

async function loadedWith(variables: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const args = ['--conditions=hookline-source', '--input-type=module', '--eval', PROGRAM]
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const { stdout } = await run(process.execPath, args, {
    cwd,
    env: { ...process.env, ...variables },
  })
  return JSON.parse(stdout) as string[]
}

test.for([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_EXPORTER: 'none' },
])('OpenTelemetry is not loaded with the variables %j', async (variables) => {
  expect(await loadedWith(variables)).toEqual([])
})

test('OpenTelemetry is loaded if a collector is set', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces' }
  expect(await loadedWith(endpoint)).toContain('@opentelemetry/sdk-trace')
})
