import { type Command, Option } from 'commander'
import { Failure } from '../failure.ts'
import { sharedSecretOf, withSecretOptions } from './secret-options.ts'

interface WebhookGiven {
  readonly url: string
  readonly headers: Record<string, string>
}

export interface WebhookOptions {
  readonly name?: string
  readonly enabled?: true
  readonly webhook?: readonly WebhookGiven[]
  readonly secret?: string | false
  readonly secretFile?: string
  readonly policy?: string
}

/** Gives a command the options that make up the settings of a Webhooks destination. */
export function addWebhookOptions(command: Command): Command {
  const webhooks: WebhookGiven[] = []
  return withSecretOptions(command)
    .option('--no-secret', 'send requests unsigned')
    .option('--webhook <url>', 'URL that gets the events; up to five', (url) => {
      webhooks.push({ url, headers: {} })
      return webhooks
    })
    .option('--header <name:value>', 'static header of the --webhook before it', (text) => {
      addHeader(webhooks.at(-1), text)
    })
    .addOption(
      new Option('--policy <policy>', 'done when any webhook took it, or when each did').choices([
        'any',
        'each',
      ]),
    )
}

/** The settings that were given; `undefined` where none was. */
export function settingsOf(options: WebhookOptions): object | undefined {
  const { webhook: webhooks, secret, policy: successPolicy } = options
  const sharedSecret = secret === false ? null : sharedSecretOf({ ...options, secret })
  const settings = { webhooks, sharedSecret, successPolicy }
  return Object.values(settings).every((value) => value === undefined) ? undefined : settings
}

function addHeader(webhook: WebhookGiven | undefined, text: string): void {
  const colon = text.indexOf(':')
  // Quotes nothing of what was given: header values are secrets.
  if (webhook === undefined) throw new Failure('usage', 'Give --header after its --webhook.')
  if (colon < 1) throw new Failure('usage', '--header must be like "name: value".')
  webhook.headers[text.slice(0, colon).trim()] = text.slice(colon + 1).trim()
}
