import { expect, test } from 'vitest'
import { pathPartOf, userIdIn } from '../../src/domain/user-path.ts'

test.each(['.', '..', '...', '~', '~.', '~..', '~~.', 'u1', 'a/b', '%2e', ''])(
  'the userId %j is in the path of its page, as the browser resolves it',
  (userId) => {
    const { pathname } = new URL(
      `/console/users/${encodeURIComponent(pathPartOf(userId))}`,
      'https://hookline.example',
    )
    const part = decodeURIComponent(pathname.replace('/console/users/', ''))
    expect(userIdIn(part)).toBe(userId)
  },
)
