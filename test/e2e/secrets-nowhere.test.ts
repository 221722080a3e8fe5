import { createLogger, openService, parseConfig } from '@hookline/server'
import { expect, test } from 'vitest'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { Proxy } from '@hookline/testing/network/proxy'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { Output } from '@hookline/testing/secrets/output'
import {
  callApi,
  openRepeatingReceiver,
  plantedSettings,
  plantSecrets,
} from '@hookline/testing/secrets/planted-secrets'

test('secrets are not in log lines, responses, metrics, the audit log, the history, backups or the database', async () => {
  using folder = new TemporaryFolder()
  await using receiver = await openRepeatingReceiver()
  await using proxy = await Proxy.open({ behaviour: 407 })
  const output = new Output()
  const logger = createLogger('trace', { write: (line) => void output.logged.push(line) })
  const config = parseConfig({}, { dataDir: folder.path, ...plantedSettings(proxy) })
  await using service = await openService({ config, logger })
  const planting = { service, receiver, proxy, output }
  const { writeKey, secrets, notStored, sourceId } = await plantSecrets(planting)
  output.expectNone([...secrets, writeKey], sourceId)
  for (const secret of notStored)
    expect([secret, filesWith(folder.path, secret)]).toEqual([secret, []])
  const backup = await callApi(service, 'GET', '/backup')
  expect(backup.text).toContain('SQLite format 3')
  expect(notStored.filter((secret) => backup.text.includes(secret))).toEqual([])
  expect(backup.text).toContain(sourceId)
})
