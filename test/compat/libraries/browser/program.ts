// Makes the calls in a file with a client library in Chromium. Argument: the name of its module in pages.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { CHROMIUM, CHROMIUM_FLAGS } from '@hookline/testing/programs/chromium'
import type { Call } from '../../scenarios/call.ts'
import { openSite } from './site.ts'
import { OutstandingCalls } from './outstanding-calls.ts'

/** Flags that prevent requests to other hosts. */
const FLAGS = [
  ...CHROMIUM_FLAGS,
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1',
]

/** Console messages that are not about a call: failed requests, and the deprecation of rudder-sdk-js. */
const IGNORED = /^Failed to load resource|is deprecated/

const [library = ''] = process.argv.slice(2)
const environment = (name: string): string => process.env[`COMPAT_${name}`] ?? ''
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

const settings = {
  writeKey: environment('WRITE_KEY'),
  endpoint: environment('ENDPOINT'),
  batch: Number(environment('BATCH')),
  pauseMs: Number(environment('PAUSE_MS')),
}
const folder = environment('FOLDER')
const lines = readFileSync(environment('CALLS'), 'utf8').split('\n').filter(Boolean)
const calls = lines.map((line) => JSON.parse(line) as Call)
const site = await openSite({ ...settings, folder, snippet })
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
try {
  const page = await browser.newPage({ locale: 'de-DE', ignoreHTTPSErrors: true })
  await makeCalls(page)
} finally {
  await browser.close()
}
say({ done: true })
process.exit()

async function makeCalls(page: Page): Promise<void> {
  reportErrors(page)
  const outstanding = new OutstandingCalls(page)
  await page.goto(`${site}/?utm_source=news&utm_campaign=s%C3%B6mmer`)
  await page.exposeFunction('printLine', (line: { made?: string; error?: string; id?: string }) => {
    if (line.made !== undefined) outstanding.add(line.made)
    if (line.error !== undefined && line.id !== undefined) outstanding.delete(line.id)
    say(line)
  })
  const settingsJson = JSON.stringify(settings)
  await page.evaluate(
    `Promise.all([import('/pages/make-calls.js'), import('/pages/${library}.js')])
      .then(([{ makeCalls }, library]) => makeCalls(library, ${settingsJson}, ${JSON.stringify(calls)}, printLine))`,
  )
  await outstanding.settled()
}

function reportErrors(page: Page): void {
  page.on('pageerror', ({ message }) => say({ error: message }))
  page.on('console', (message) => {
    if (message.type() === 'error' && !IGNORED.test(message.text())) say({ error: message.text() })
  })
}

/** Segment's inline snippet, with a different host. */
function snippet(host: string): string {
  const segment = createRequire(join(folder, 'program.js'))('@segment/snippet') as {
    min(options: object): string
  }
  return segment.min({ host, apiKey: settings.writeKey, page: false })
}
