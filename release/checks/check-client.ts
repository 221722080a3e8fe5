import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InstalledProject } from './installed-project.ts'
import { ROOT } from '../packages.ts'

const CALL = `
const [endpoint, writeKey, userId] = process.argv.slice(2)
const analytics = new Analytics(writeKey, { endpoint })
analytics.track({ userId, event: 'Order Completed', properties: { revenue: 39.95 } })
const recorder = new Recorder()
recorder.track({ userId, event: 'Order Completed' })
if (recorder.tracked('Order Completed').length !== 1) throw new Error('Recorder has no call.')
if (typeof verifySignature !== 'function') throw new Error('verifySignature is missing.')
analytics.close().then(() => console.log(analytics.stats.delivered))
`

const IMPORTS = `
import { Analytics } from '@hookline/client'
import { Recorder } from '@hookline/client/testing'
import { verifySignature } from '@hookline/client/verify'
`

const REQUIRES = `
const { Analytics } = require('@hookline/client')
const { Recorder } = require('@hookline/client/testing')
const { verifySignature } = require('@hookline/client/verify')
`

const TYPED = `${IMPORTS}
const analytics = new Analytics<{ 'Signed Up': { plan: string } }>('wk_1')
analytics.track({ userId: 'u1', event: 'Signed Up', properties: { plan: 'pro' } })
// @ts-expect-error It has a misspelt name.
analytics.track({ userId: 'u1', event: 'Signed Upp', properties: { plan: 'pro' } })
export const recorder = new Recorder()
export const verified: Promise<boolean> = verifySignature('{}', new Headers(), 'secret')
`

/** Sends a call from a module and one from CommonJS. Resolves with the userIds of the calls. */
export async function checkCalls(
  installed: InstalledProject,
  service: { readonly url: string; readonly writeKey: string },
  line: string,
): Promise<string[]> {
  const programs = { [`node-${line}.mjs`]: IMPORTS + CALL, [`node-${line}.cjs`]: REQUIRES + CALL }
  for (const [file, text] of Object.entries(programs)) {
    const delivered = await installed.program(file, text, service.url, service.writeKey, file)
    if (delivered !== '1') throw new Error(`${file} printed ${delivered}.`)
  }
  return Object.keys(programs)
}

/** Compiles a program against the types in the tarballs, as strictly as the compiler can. */
export async function checkTypes(installed: InstalledProject): Promise<void> {
  writeFileSync(join(installed.folder, 'typed.mts'), TYPED)
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', '']
  await installed.run(`${ROOT}node_modules/.bin/tsc`, ...options, 'typed.mts')
}
