import { expect, test } from 'vitest'
import { pathPartOf, userIdIn } from '../../src/domain/user-path.ts'

test.each(['.', '..', '...', '~', '~.', '~..', '~~.', 'u1', 'a/b', '%2e', ''])(
  'the userId %j can be read from the path of its page after the browser resolves it',
  (userId) => {
    const { pathname } = new URL(
      `/console/users/${encodeURIComponent(pathPartOf(userId))}`,
      'https://hookline.example',
    )
    const part = decodeURIComponent(pathname.replace('/console/users/', ''))
    expect(userIdIn(part)).toBe(userId)
  },
)
