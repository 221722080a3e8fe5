import type { onRequestHookHandler } from 'fastify'
import { isRoleEnough, roleFor, routeOf } from './route-roles.ts'
import { Problem } from '../problems/problem.ts'

/** The hook that responds with 403 if the route needs a higher role than that of the token. */
export function authorize(prefix: string): onRequestHookHandler {
  return (request, _reply, done) => {
    const { actor } = request
    const needed = roleFor(routeOf(request, prefix))
    if (isRoleEnough(actor.role, needed)) return done()
    const detail = `This request needs a token with the role ${needed}; yours has the role ${actor.role}.`
    return done(new Problem('forbidden', { detail }))
  }
}
