import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

/** Audience names in several scripts, each with its snake_case form. */
const NAMES: readonly (readonly [name: string, key: string])[] = [
  ['VIP customers', 'vip_customers'],
  ['New VIPs', 'new_vips'],
  ['userIDs', 'user_ids'],
  ['orderCompleted', 'order_completed'],
  ['HTTPServer errors', 'http_server_errors'],
  ['orders_30d', 'orders_30d'],
  ['  Spaces   around  ', 'spaces_around'],
  ['already_snake_case', 'already_snake_case'],
  ['Kebab-case/and.dots', 'kebab_case_and_dots'],
  ['__proto__', 'proto'],
  ['constructor', 'constructor'],
  ['50% off', '50_off'],
  ['C++ & C#', 'c_c'],
  ['User’s plan', 'user_s_plan'],
  ['naïve Café', 'naïve_café'],
  ['ÄÖÜ Straße', 'äöü_straße'],
  ['Đorđe', 'đorđe'],
  ['ＦＵＬＬ ｗｉｄｔｈ', 'full_width'],
  ['ﬁnance', 'finance'],
  ['Acme™', 'acme_tm'],
  ['Ⅷ', 'viii'],
  ['ΟΔΟΣ ΑΘΗΝΑ', 'οδος_αθηνα'],
  ['Νέοι Πελάτες', 'νέοι_πελάτες'],
  ['Новые клиенты', 'новые_клиенты'],
  ['СтарыеКлиенты', 'старые_клиенты'],
  ['Հաճախորդներ', 'հաճախորդներ'],
  ['לקוחות חדשים', 'לקוחות_חדשים'],
  ['عملاء جدد', 'عملاء_جدد'],
  ['٣٠ يوم', '٣٠_يوم'],
  ['हिन्दी ग्राहक', 'हिन्दी_ग्राहक'],
  ['தமிழ் பயனர்', 'தமிழ்_பயனர்'],
  ['ลูกค้าใหม่', 'ลูกค้าใหม่'],
  ['新規顧客', '新規顧客'],
  ['お客様リスト', 'お客様リスト'],
  ['ｶﾞｲﾄﾞ', 'ガイド'],
  ['고객 목록', '고객_목록'],
  ['ახალი კლიენტები', 'ახალი_კლიენტები'],
  ['አዲስ ደንበኞች', 'አዲስ_ደንበኞች'],
  ['❤️ lovers', 'lovers'],
  ['1️⃣ first', '1_first'],
  ['🇩🇪 Kunden', 'kunden'],
  ['🎉', 'u1f389'],
  ['!!!', 'u21_u21_u21'],
  ['spent 100 € this month', 'spent_100_this_month'],
]

test('the first sync sends an identify call for every member, and later syncs send only changes, under a snake_case key', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const destinationIds = [await service.createDestination({ urls: [receiver.url] })]
  const identify = (userId: string, plan: string) =>
    service.send('/v1/identify', { userId, traits: { plan } })
  await identify('u1', 'pro')
  await identify('u2', 'pro')
  await identify('u3', 'free')
  const condition = { trait: 'plan', op: 'equals', value: 'pro' }
  for (const [name, key] of NAMES) {
    const audience = { name, destinationIds, condition }
    expect(await service.api.call('POST', 'audiences', audience)).toMatchObject({ key })
  }
  const announced = async (calls: number): Promise<string[]> => {
    const requests = await receiver.waitFor(calls)
    return requests
      .map(({ body }) => JSON.parse(body.toString()))
      .filter(({ context }) => context.audience !== undefined)
      .map(({ userId, traits }) => `${userId} ${JSON.stringify(traits)}`)
  }
  const ofAll = (userId: string, value: boolean): string[] =>
    NAMES.map(([, key]) => `${userId} ${JSON.stringify({ [key]: value })}`)
  const members = [...ofAll('u1', true), ...ofAll('u2', true)]
  expect((await announced(3 + members.length)).toSorted()).toEqual(members.toSorted())

  await identify('u3', 'pro')
  await identify('u2', 'pro')
  await identify('u1', 'free')
  const changes = [...ofAll('u3', true), ...ofAll('u1', false)]
  const calls = 6 + members.length + changes.length
  const later = (await announced(calls)).slice(members.length)
  expect(later.toSorted()).toEqual(changes.toSorted())

  const { data } = await service.api.call<{ data: { id: string }[] }>('GET', 'audiences?limit=200')
  for (const { id } of data) await service.api.call('POST', `audiences/${id}/sync`, {})
  await service.eventually(async () => {
    const list = 'audiences?limit=200'
    const { data: now } = await service.api.call<{ data: object[] }>('GET', list)
    for (const each of now)
      expect(each).toMatchObject({ sync: null, lastSync: { reason: 'requested', missed: 0 } })
  })
  expect(await announced(calls)).toHaveLength(members.length + changes.length)
})
