import { type Command, Option } from 'commander'
import { Failure } from '../failure.ts'
import { sharedSecretOf, withSecretOptions } from './secret-options.ts'

interface WebhookOption {
  readonly url: string
  readonly headers: Record<string, string>
}

export interface WebhookOptions {
  readonly name?: string
  readonly enabled?: true
  readonly webhook?: readonly WebhookOption[]
  readonly secret?: string | false
  readonly secretFile?: string
  readonly policy?: string
}

/** Gives a command the options for the settings of a Webhooks destination. */
export function addWebhookOptions(command: Command): Command {
  const webhooks: WebhookOption[] = []
  return withSecretOptions(command)
    .option('--no-secret', 'send requests without a signature')
    .option('--webhook <url>', 'URL that receives the events; give up to 5', (url) => {
      webhooks.push({ url, headers: {} })
      return webhooks
    })
    .option('--header <name:value>', 'static header for the --webhook before it', (text) => {
      addHeader(webhooks.at(-1), text)
    })
    .addOption(
      new Option(
        '--policy <policy>',
        'a delivery is done when any webhook, or each one, accepts it',
      ).choices(['any', 'each']),
    )
}

/** The settings of those options; `undefined` without any. */
export function settingsOf(options: WebhookOptions): object | undefined {
  const { webhook: webhooks, secret, policy: successPolicy } = options
  const sharedSecret = secret === false ? null : sharedSecretOf({ ...options, secret })
  const settings = { webhooks, sharedSecret, successPolicy }
  return Object.values(settings).every((value) => value === undefined) ? undefined : settings
}

function addHeader(webhook: WebhookOption | undefined, text: string): void {
  const colon = text.indexOf(':')
  // The messages quote no value: header values are secrets.
  if (webhook === undefined)
    throw new Failure('usage', 'Give --header after the --webhook that it belongs to.')
  if (colon < 1) throw new Failure('usage', '--header must have the form "name: value".')
  webhook.headers[text.slice(0, colon).trim()] = text.slice(colon + 1).trim()
}
