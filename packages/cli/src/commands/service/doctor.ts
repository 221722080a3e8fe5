import type { Config } from '@hookline/server'
import type { Command } from 'commander'
import { CHECKS } from '../../doctor/checks.ts'
import { deliveryFindings } from '../../doctor/delivery-findings.ts'
import type { Finding } from '../../doctor/finding.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output.ts'
import { printable } from '../../output/safe-text.ts'
import { configFrom, type SettingFlags, withServerOptions } from '../../service/server-options.ts'

interface Checked extends Finding {
  readonly check: string
}

/** `hookline doctor` */
export function addDoctor(program: Command): void {
  withServerOptions(program.command('doctor'))
    .description(
      'check version, data folder, disk, clock, port, database, and the deliveries of a running service; exits with 8 if a check fails',
    )
    .action(async (flags: SettingFlags, command: Command) => {
      const config = await configFrom(flags)
      const checks = await allChecks(config)
      const output = outputOf(command)
      const isHealthy = checks.every(({ ok }) => ok)
      output.data({ healthy: isHealthy, checks }, () =>
        checks.flatMap((each) => linesOf(each)).join('\n'),
      )
      if (isHealthy) return
      const failed = checks.filter(({ ok }) => !ok).map(({ check }) => check)
      throw new Failure('unhealthy', `Failed checks: ${failed.join(', ')}.`)
    })
}

async function allChecks(config: Config): Promise<Checked[]> {
  const found: Checked[] = []
  for (const [check, find] of Object.entries(CHECKS)) {
    found.push({ check, ...(await find(config).catch(failedCheck)) })
  }
  const deliveries = await deliveryFindings(config).catch((error: unknown) => ({
    deliveries: failedCheck(error),
  }))
  for (const [check, finding] of Object.entries(deliveries)) found.push({ check, ...finding })
  return found
}

function failedCheck(error: unknown): Finding {
  return { ok: false, detail: (error as Error).message }
}

function linesOf({ check, ok, warning, detail, causes = [], next }: Checked): string[] {
  const symbol = warning ? '!' : ok ? '✓' : '✗'
  return [
    `${symbol} ${check.padEnd(12)} ${detail}`,
    ...causes.map((cause) => `    ${cause}`),
    ...(next === undefined ? [] : [`    → ${next}`]),
  ].map(printable)
}
