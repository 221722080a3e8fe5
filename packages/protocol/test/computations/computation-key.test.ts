import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keyOfName, LIMITS } from '../../src/index.ts'

const MAX_CHARACTERS = LIMITS.keyCharacters

describe('the key of a name', () => {
  test.for([
    ['VIP customers', 'vip_customers'],
    ['New VIPs', 'new_vips'],
    ['userIDs', 'user_ids'],
    ['orderCompleted', 'order_completed'],
    ['HTTPServer errors', 'http_server_errors'],
    ['orders30Days', 'orders30_days'],
    ['orders_30d', 'orders_30d'],
    ['  Spaces   around  ', 'spaces_around'],
    ['already_snake_case', 'already_snake_case'],
    ['Kebab-case/and.dots', 'kebab_case_and_dots'],
    ['__proto__', 'proto'],
    ['50% off', '50_off'],
    ['C++ & C#', 'c_c'],
    ['User’s plan', 'user_s_plan'],
    ['tab\tand\nline', 'tab_and_line'],
    ['naïve Café', 'naïve_café'],
    ['nai\u0308ve', 'na\u00efve'],
    ['ÄÖÜ Straße', 'äöü_straße'],
    ['İstanbul', 'i\u0307stanbul'],
    ['Đorđe', 'đorđe'],
    ['ＦＵＬＬ ｗｉｄｔｈ', 'full_width'],
    ['ﬁnance', 'finance'],
    ['x²', 'x2'],
    ['½ price', '1_2_price'],
    ['Acme™', 'acme_tm'],
    ['Ⅷ', 'viii'],
    ['𝔘𝔫𝔦', 'uni'],
    ['soft\u00adhyphen', 'softhyphen'],
    ['ΟΔΟΣ ΑΘΗΝΑ', 'οδος_αθηνα'],
    ['Νέοι Πελάτες', 'νέοι_πελάτες'],
    ['Новые клиенты', 'новые_клиенты'],
    ['НовыеКлиенты', 'новые_клиенты'],
    ['Հաճախորդներ', 'հաճախորդներ'],
    ['לקוחות חדשים', 'לקוחות_חדשים'],
    ['عملاء جدد', 'عملاء_جدد'],
    ['می\u200cخواهم', 'میخواهم'],
    ['٣٠ يوم', '٣٠_يوم'],
    ['हिन्दी ग्राहक', 'हिन्दी_ग्राहक'],
    ['தமிழ் பயனர்', 'தமிழ்_பயனர்'],
    ['ลูกค้าใหม่', 'ลูกค้าใหม่'],
    ['新規顧客', '新規顧客'],
    ['お客様リスト', 'お客様リスト'],
    ['ｶﾞｲﾄﾞ', 'ガイド'],
    ['고객 목록', '고객_목록'],
    ['ახალი კლიენტები', 'ახალი_კლიენტები'],
    ['ᲐᲮᲐᲚᲘ', 'ახალი'],
    ['አዲስ ደንበኞች', 'አዲስ_ደንበኞች'],
    ['𐐀𐐁', '𐐨𐐩'],
    ['❤️ lovers', 'lovers'],
    ['1️⃣ first', '1_first'],
    ['🇩🇪 Kunden', 'kunden'],
    ['a \u0301b', 'a_b'],
  ])('such as %s is %s', ([name, key]) => {
    expect(keyOfName(name!)).toBe(key)
  })

  test.for([
    ['🎉', 'u1f389'],
    ['❤️', 'u2764_ufe0f'],
    ['!!!', 'u21_u21_u21'],
    ['_', 'u5f'],
    ['\u0301', 'u301'],
    ['\ud800', 'ud800'],
    ['', 'unnamed'],
  ])('without letters or digits, such as %j, is %s', ([name, key]) => {
    expect(keyOfName(name!)).toBe(key)
  })

  test.for([
    ['x'.repeat(150), 'x'.repeat(MAX_CHARACTERS)],
    [`${'x'.repeat(MAX_CHARACTERS - 1)} y`, 'x'.repeat(MAX_CHARACTERS - 1)],
    [`${'x'.repeat(MAX_CHARACTERS - 1)}𐐀`, 'x'.repeat(MAX_CHARACTERS - 1)],
  ])('is truncated if too long, between two characters', ([name, key]) => {
    expect(keyOfName(name!)).toBe(key)
  })

  test('is idempotent, never empty and never too long, for any name', () => {
    const unit = fc.oneof(
      fc.constantFrom(...'aB1_ .\u0301\u200d\ud83c\ufe0fΣΑ'.split('')),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit }))
    fc.assert(
      fc.property(text, (name) => {
        const key = keyOfName(name)
        expect(keyOfName(key)).toBe(key)
        expect(key.length).toBeGreaterThan(0)
        expect(key.length).toBeLessThanOrEqual(MAX_CHARACTERS)
        expect(key).toMatch(/^[\p{L}\p{N}\p{M}]+(_[\p{L}\p{N}\p{M}]+)*$/u)
      }),
      { numRuns: 5_000 },
    )
  })
})
