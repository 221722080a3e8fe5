import type { Config } from '@hookline/server'
import type { Command } from 'commander'
import { CHECKS, type Finding } from '../../doctor/checks.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output.ts'
import { configFrom, type SettingFlags, withServerOptions } from '../../service/server-options.ts'

interface Checked extends Finding {
  readonly check: string
}

/** `hookline doctor` */
export function addDoctor(program: Command): void {
  withServerOptions(program.command('doctor'))
    .description(
      'check version, data folder, disk, clock, port and database; exits with 8 if a check fails',
    )
    .action(async (flags: SettingFlags, command: Command) => {
      const config = await configFrom(flags)
      const checks = await allChecks(config)
      const output = outputOf(command)
      const isHealthy = checks.every(({ ok }) => ok)
      output.data({ healthy: isHealthy, checks }, () => checks.map(lineOf).join('\n'))
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
  return found
}

function failedCheck(error: unknown): Finding {
  return { ok: false, detail: (error as Error).message }
}

function lineOf({ check, ok, detail }: Checked): string {
  return `${ok ? '✓' : '✗'} ${check.padEnd(12)} ${detail}`
}
