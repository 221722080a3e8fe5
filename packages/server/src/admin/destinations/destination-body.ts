import { isJsonObject, type WebhooksSettings } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import { parseWebhooksSettings } from '../../destination-settings/webhooks/settings.ts'
import type { Fault } from '../../util/fault.ts'
import { Problem } from '../problems/problem.ts'

type Body = Pick<FastifyRequest, 'body' | 'validationError'>

/**
 * The settings in the body of a request; `previous` are the current settings of the destination.
 * @throws {Problem} `invalid_body` with all faults: of the body, of the settings, and `more`
 */
export function requestedSettings(
  { body, validationError }: Body,
  {
    previous,
    more = [],
    allowedPorts,
  }: {
    readonly previous?: WebhooksSettings
    readonly more?: readonly Fault[]
    readonly allowedPorts: ReadonlySet<number>
  },
): WebhooksSettings {
  const bodyFaults = faultsIn(validationError)
  const fields = body ?? {}
  if (!isJsonObject(fields)) throw new Problem('invalid_body', { faults: bodyFaults })
  const parsed = parseWebhooksSettings(fields['settings'], previous, allowedPorts)
  const faults = [...bodyFaults, ...more]
  if ('faults' in parsed) {
    faults.push(...parsed.faults.map((each) => ({ ...each, pointer: `/settings${each.pointer}` })))
  }
  if ('faults' in parsed || faults.length > 0) throw new Problem('invalid_body', { faults })
  return parsed.settings
}

/** The faults that the schema found, except those of the settings: their parser reports more about them. */
function faultsIn(error: Body['validationError']): readonly Fault[] {
  if (error === undefined || error === null) return []
  if (!(error instanceof Problem)) throw error
  return error.faults.filter(({ pointer }) => !/^\/settings(?:\/|$)/.test(pointer))
}
