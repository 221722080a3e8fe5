// @ts-nocheck
/**
 * Hookline management API
 * 1
 * DO NOT MODIFY - This file has been generated using oazapfts.
 * See https://www.npmjs.com/package/oazapfts
 */
import * as Oazapfts from "@oazapfts/runtime";
import * as QS from "@oazapfts/runtime/query";
export const defaults: Oazapfts.Defaults<Oazapfts.CustomHeaders> = {
    headers: {},
    baseUrl: "/"
};
const oazapfts = Oazapfts.runtime(defaults);
export const servers = {};
export type Source = {
    id: string;
    /** A text of 1 to 200 characters, not only spaces. */
    name: string;
    /** true or false. Calls to a disabled source are refused. */
    enabled: boolean;
    /** Calls per second and node, a whole number from 1; null for no limit. */
    rateLimit: number | null;
    writeKeys: {
        key: string;
        /** ISO 8601, UTC. */
        createdAt: string;
        /** To the minute; null while unused. */
        lastUsedAt: string | null;
    }[];
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    updatedAt: string;
    /** What the ETag says. */
    version: number;
};
export type Problem = {
    "type": string;
    title: string;
    status: number;
    /** For programs; docs/errors.md explains each. */
    code: string;
    detail: string;
    requestId: string;
    errors: {
        /** A JSON Pointer into the body, or a parameter. */
        pointer: string;
        code: string;
        message: string;
        hint: string;
    }[];
};
export type Destination = {
    id: string;
    /** The id of the source whose events go there. */
    sourceId: string;
    /** Webhooks is the only type there is. */
    "type": "Webhooks";
    /** A text of 1 to 200 characters, not only spaces. */
    name: string;
    /** true or false. What comes while it is false is not forwarded. */
    enabled: boolean;
    /** null while deliveries are tried; else since when they are held. */
    paused: {
        /** ISO 8601, UTC. */
        since: string;
        /** gone: the receiver answered 410 three times in a row, a minute apart. */
        reason: "operator" | "gone";
    } | null;
    settings: {
        sharedSecret: {
            "set": boolean;
            last4?: string;
            /** Until then webhook-signature carries that of the secret before, too. */
            previousUntil?: string;
        };
        webhooks: {
            /** http or https, without credentials and fragment. */
            url: string;
            headers: {
                [key: string]: {
                    "set": true;
                };
            };
            /** null while deliveries are tried; else since when they are held. */
            paused: {
                /** ISO 8601, UTC. */
                since: string;
                /** gone: the receiver answered 410 three times in a row, a minute apart. */
                reason: "operator" | "gone";
            } | null;
        }[];
        /** A delivery is done when any webhook took it, or when each did. */
        successPolicy: "any" | "each";
    };
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    updatedAt: string;
    /** What the ETag says. */
    version: number;
};
export type Event = {
    id: string;
    sourceId: string;
    /** The call as received, validated and stamped. */
    event: {
        [key: string]: any;
    };
    /** ISO 8601, UTC. */
    receivedAt: string;
    /** What was noticed about the call. */
    marks: ("precision_lost" | "timestamp_unreadable")[];
    /** Later calls with the same messageId, left out. */
    duplicates: number;
};
export type Delivery = {
    /** The webhook-id of every attempt. */
    id: string;
    eventId: string;
    destinationId: string;
    /** One of pending, delivered, rejected, expired, held, quarantined. */
    state: "pending" | "delivered" | "rejected" | "expired" | "held" | "quarantined";
    /** Attempt rounds made, since the last replay or retry. */
    rounds: number;
    /** The replay that asked for it again. */
    replayId?: string;
    /** Why it is quarantined. */
    quarantine?: {
        reason: string;
        /** ISO 8601, UTC. */
        at: string;
    };
    /** ISO 8601, UTC. */
    firstDueAt: string;
    /** ISO 8601, UTC. */
    nextAttemptAt: string | null;
    webhooks: {
        url: string;
        outcome: "delivered" | "retry" | "rejected";
        /** ISO 8601, UTC. */
        nextAttemptAt: string | null;
        last: {
            id: string;
            /** The round it belonged to, from 1. */
            round: number;
            /** Which attempt on this webhook it was, from 1. */
            "number": number;
            url: string;
            /** ISO 8601, UTC. */
            startedAt: string;
            durationMs: number;
            /** Where the time went. What is absent was not needed, or not reached. */
            timing: {
                /** The name look-up. */
                lookupMs?: number;
                connectMs?: number;
                tlsMs?: number;
                /** Sending, and waiting for the last header of the answer. */
                answerMs?: number;
            };
            outcome: "delivered" | "retry" | "rejected";
            /** delivered, or what went wrong; docs/errors.md explains each. */
            "class": string;
            status?: number;
            /** What went wrong, in words. */
            error?: string;
            /** The replay it belonged to. */
            replayId?: string;
        };
    }[];
    attempts: {
        id: string;
        /** The round it belonged to, from 1. */
        round: number;
        /** Which attempt on this webhook it was, from 1. */
        "number": number;
        url: string;
        /** ISO 8601, UTC. */
        startedAt: string;
        durationMs: number;
        /** Where the time went. What is absent was not needed, or not reached. */
        timing: {
            /** The name look-up. */
            lookupMs?: number;
            connectMs?: number;
            tlsMs?: number;
            /** Sending, and waiting for the last header of the answer. */
            answerMs?: number;
        };
        outcome: "delivered" | "retry" | "rejected";
        /** delivered, or what went wrong; docs/errors.md explains each. */
        "class": string;
        status?: number;
        /** What went wrong, in words. */
        error?: string;
        /** The replay it belonged to. */
        replayId?: string;
        headers?: {
            [key: string]: string;
        };
        /** The beginning of the response body. */
        body?: string;
    }[];
};
export type Replay = {
    /** What X-Hookline-Replay says on its attempts. */
    id: string;
    state: "queued" | "running" | "finished" | "cancelled";
    destinationId: string;
    states: ("delivered" | "rejected" | "expired" | "quarantined")[];
    /** ISO 8601, UTC. */
    "from": string | null;
    /** ISO 8601, UTC. */
    to: string;
    types: ("identify" | "track" | "page" | "screen" | "group" | "alias")[] | null;
    text: string | null;
    includeDeclined: boolean;
    ratePerSecond: number | null;
    /** Deliveries and decisions looked at. */
    scanned: number;
    /** Deliveries made due again. */
    requeued: number;
    /** Of those, delivered so far. */
    delivered: number;
    /** Of those, ended otherwise so far. */
    failed: number;
    /** How far it is between from and to. */
    reachedAt: string | null;
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    finishedAt: string | null;
};
export type Deletion = {
    id: string;
    /** finished: done, and every receiver told. partial: done, but not every one told. */
    state: "queued" | "running" | "finished" | "partial";
    /** How many users it is about. */
    users: number;
    /** null: every source. */
    sourceIds: string[] | null;
    suppress: boolean;
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    suppressedAt: string | null;
    /** ISO 8601, UTC. */
    purgedAt: string | null;
    purged: {
        events: number;
        deliveries: number;
    };
    /** One for each source and destination; empty until the purge is done. */
    notifications: {
        sourceId: string;
        destinationId: string;
        status: "pending" | "delivered" | "partial" | "failed";
        notices: {
            waiting: number;
            delivered: number;
            failed: number;
        };
        attempts: number;
        /** ISO 8601, UTC. */
        notifiedAt: string | null;
    }[];
};
export type Token = {
    id: string;
    /** A text of 1 to 200 characters, not only spaces. */
    name: string;
    /** One of viewer, editor, admin: who reads, who changes things, who manages tokens and data. */
    role: "viewer" | "editor" | "admin";
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    expiresAt: string | null;
    /** ISO 8601, UTC. */
    lastUsedAt: string | null;
};
/**
 * This document
 */
export function getOpenapi(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            [key: string]: any;
        };
    }>("/api/v1/openapi.json", {
        ...opts
    });
}
/**
 * Lists sources, oldest first
 */
export function listSources({ limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Source[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/sources${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Makes a source with a write key
 */
export function createSource(body: {
    /** A text of 1 to 200 characters, not only spaces. */
    name: string;
    /** true or false. Calls to a disabled source are refused. */
    enabled?: boolean;
    /** Calls per second and node, a whole number from 1; null for no limit. */
    rateLimit?: number | null;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Source;
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/sources", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Shows a source
 */
export function getSource(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Source;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/sources/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Changes the fields that are given
 */
export function changeSource(id: string, body: {
    /** A text of 1 to 200 characters, not only spaces. */
    name?: string;
    /** true or false. Calls to a disabled source are refused. */
    enabled?: boolean;
    /** Calls per second and node, a whole number from 1; null for no limit. */
    rateLimit?: number | null;
}, { ifMatch }: {
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Source;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/sources/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    }));
}
/**
 * Removes a source and its destinations
 */
export function removeSource(id: string, { ifMatch }: {
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/sources/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    });
}
/**
 * Makes another write key
 */
export function addWriteKey(id: string, body: {}, { ifMatch, idempotencyKey }: {
    ifMatch?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: {
            key: string;
            /** ISO 8601, UTC. */
            createdAt: string;
            /** To the minute; null while unused. */
            lastUsedAt: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/sources/${encodeURIComponent(id)}/write-keys`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Removes a write key
 */
export function removeWriteKey(id: string, key: string, { ifMatch }: {
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Source;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/sources/${encodeURIComponent(id)}/write-keys/${encodeURIComponent(key)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    });
}
/**
 * Lists destinations, oldest first
 */
export function listDestinations({ limit, cursor, sourceId }: {
    limit?: number;
    cursor?: string;
    sourceId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Destination[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/destinations${QS.query(QS.explode({
        limit,
        cursor,
        sourceId
    }))}`, {
        ...opts
    });
}
/**
 * Makes a destination, off by default
 */
export function createDestination(body: {
    /** The id of the source whose events go there. */
    sourceId: string;
    /** Webhooks is the only type there is. */
    "type": "Webhooks";
    /** A text of 1 to 200 characters, not only spaces. */
    name?: string;
    /** true or false. What comes while it is false is not forwarded. */
    enabled?: boolean;
    settings: {
        webhooks?: {
            /** http or https, without credentials and fragment. */
            url: string;
            /** As it is shown. It changes nothing: see /pause and /resume. */
            paused?: any;
            /** Static headers, texts by name. A value as it is shown, {"set": true}, keeps the stored one. */
            headers?: {
                [key: string]: any;
            };
        }[];
        /** In place of webhooks: one URL without headers. */
        webhookUrl?: string;
        /** Keys the signatures; null for none. As it is shown, it stays what it is. */
        sharedSecret?: string | null | object;
        /** A delivery is done when any webhook took it, or when each did. */
        successPolicy?: "any" | "each";
    };
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Destination;
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/destinations", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Shows a destination
 */
export function getDestination(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            id: string;
            /** The id of the source whose events go there. */
            sourceId: string;
            /** Webhooks is the only type there is. */
            "type": "Webhooks";
            /** A text of 1 to 200 characters, not only spaces. */
            name: string;
            /** true or false. What comes while it is false is not forwarded. */
            enabled: boolean;
            /** null while deliveries are tried; else since when they are held. */
            paused: {
                /** ISO 8601, UTC. */
                since: string;
                /** gone: the receiver answered 410 three times in a row, a minute apart. */
                reason: "operator" | "gone";
            } | null;
            settings: {
                sharedSecret: {
                    "set": boolean;
                    last4?: string;
                    /** Until then webhook-signature carries that of the secret before, too. */
                    previousUntil?: string;
                };
                webhooks: {
                    /** http or https, without credentials and fragment. */
                    url: string;
                    headers: {
                        [key: string]: {
                            "set": true;
                        };
                    };
                    /** null while deliveries are tried; else since when they are held. */
                    paused: {
                        /** ISO 8601, UTC. */
                        since: string;
                        /** gone: the receiver answered 410 three times in a row, a minute apart. */
                        reason: "operator" | "gone";
                    } | null;
                }[];
                /** A delivery is done when any webhook took it, or when each did. */
                successPolicy: "any" | "each";
            };
            /** ISO 8601, UTC. */
            createdAt: string;
            /** ISO 8601, UTC. */
            updatedAt: string;
            /** What the ETag says. */
            version: number;
            health: {
                webhooks: {
                    url: string;
                    /** open: nothing is tried; half_open: one attempt tries whether it is well again. */
                    breaker: "closed" | "open" | "half_open";
                    /** ISO 8601, UTC. */
                    brokenSince: string | null;
                    /** ISO 8601, UTC. */
                    restsUntil: string | null;
                }[];
                /** Deliveries that wait for another round. */
                pending: number;
                /** Deliveries that wait for the end of a pause. */
                held: number;
                /** ISO 8601, UTC. */
                oldestPendingAt: string | null;
                oldestPendingAgeMs: number | null;
                lastHour: {
                    attempts: number;
                    delivered: number;
                    /** 0 to 1; null without an attempt. */
                    successRate: number | null;
                };
            };
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/destinations/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Changes the fields that are given
 */
export function changeDestination(id: string, body: {
    /** A text of 1 to 200 characters, not only spaces. */
    name?: string;
    /** true or false. What comes while it is false is not forwarded. */
    enabled?: boolean;
    settings?: {
        webhooks?: {
            /** http or https, without credentials and fragment. */
            url: string;
            /** As it is shown. It changes nothing: see /pause and /resume. */
            paused?: any;
            /** Static headers, texts by name. A value as it is shown, {"set": true}, keeps the stored one. */
            headers?: {
                [key: string]: any;
            };
        }[];
        /** In place of webhooks: one URL without headers. */
        webhookUrl?: string;
        /** Keys the signatures; null for none. As it is shown, it stays what it is. */
        sharedSecret?: string | null | object;
        /** A delivery is done when any webhook took it, or when each did. */
        successPolicy?: "any" | "each";
    };
}, { ifMatch }: {
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Destination;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/destinations/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    }));
}
/**
 * Removes a destination
 */
export function removeDestination(id: string, { ifMatch }: {
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/destinations/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    });
}
/**
 * Holds deliveries instead of trying them
 */
export function pauseDestination(id: string, body: {}, { ifMatch, idempotencyKey }: {
    ifMatch?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Destination;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/destinations/${encodeURIComponent(id)}/pause`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Goes on with what was held
 */
export function resumeDestination(id: string, body: {}, { ifMatch, idempotencyKey }: {
    ifMatch?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Destination;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/destinations/${encodeURIComponent(id)}/resume`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Sends something to each webhook, and shows what came of it
 */
export function testDestination(id: string, body: {
    /** A sample of this type: identify, track, page, screen, group, alias, delete. */
    "type"?: "identify" | "track" | "page" | "screen" | "group" | "alias" | "delete";
    /** An event of its source, by id. */
    eventId?: string;
    /** true: only shows what would be sent. */
    dryRun?: boolean;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            dryRun: boolean;
            /** The webhook-id. */
            deliveryId: string;
            webhooks: {
                url: string;
                request: {
                    method: "POST";
                    /** As sent, but for the values of static headers. */
                    headers: {
                        [key: string]: string;
                    };
                    /** Byte for byte. */
                    body: string;
                };
                signature: {
                    /** null without a shared secret. */
                    xSignature: string | null;
                    /** null without a shared secret. */
                    webhookSignature: string | null;
                };
                attempt: {
                    /** ISO 8601, UTC. */
                    startedAt: string;
                    durationMs: number;
                    /** Where the time went. What is absent was not needed, or not reached. */
                    timing: {
                        /** The name look-up. */
                        lookupMs?: number;
                        connectMs?: number;
                        tlsMs?: number;
                        /** Sending, and waiting for the last header of the answer. */
                        answerMs?: number;
                    };
                    outcome: "delivered" | "retry" | "rejected";
                    /** delivered, or what went wrong; docs/errors.md explains each. */
                    "class": string;
                    status?: number;
                    /** What went wrong, in words. */
                    error?: string;
                    /** How long the receiver asked for quiet. */
                    retryAfterMs?: number;
                    headers?: {
                        [key: string]: string;
                    };
                    /** The beginning of the response body. */
                    body?: string;
                } | null;
            }[];
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/destinations/${encodeURIComponent(id)}/test`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Replaces the shared secret, with a time of change
 */
export function rotateSecret(id: string, body: {
    /** The new shared secret: a text of 1 to 1,024 characters. */
    secret: string;
    /** How long the old one signs as well: 0 to 168 hours; 24 if absent. */
    overlapHours?: number;
}, { ifMatch, idempotencyKey }: {
    ifMatch?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Destination;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/destinations/${encodeURIComponent(id)}/rotate-secret`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch,
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Lists events, newest first
 */
export function listEvents({ limit, cursor, sourceId, messageId, $type, userId, anonymousId, event, text, $from, to }: {
    limit?: number;
    cursor?: string;
    sourceId?: string;
    messageId?: string;
    $type?: "identify" | "track" | "page" | "screen" | "group" | "alias";
    userId?: string;
    anonymousId?: string;
    event?: string;
    text?: string;
    $from?: string;
    to?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Event[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/events${QS.query(QS.explode({
        limit,
        cursor,
        sourceId,
        messageId,
        "type": $type,
        userId,
        anonymousId,
        event,
        text,
        "from": $from,
        to
    }))}`, {
        ...opts
    });
}
/**
 * Shows an event and what became of it
 */
export function getEvent(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            id: string;
            sourceId: string;
            /** The call as received, validated and stamped. */
            event: {
                [key: string]: any;
            };
            /** ISO 8601, UTC. */
            receivedAt: string;
            /** What was noticed about the call. */
            marks: ("precision_lost" | "timestamp_unreadable")[];
            /** Later calls with the same messageId, left out. */
            duplicates: number;
            source: {
                id: string;
                /** null if removed. */
                name: string | null;
            };
            decisions: {
                destinationId: string;
                decision: "deliver" | "declined" | "pending";
                /** The code of why not. */
                reason: string | null;
                /** In words, with the remedy. */
                explanation: string;
            }[];
            deliveries: Delivery[];
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/events/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Groups deliveries that failed by destination, class and status
 */
export function listFailures({ destinationId }: {
    destinationId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: {
                destinationId: string;
                /** What went wrong; docs/errors.md explains each. */
                "class": string;
                /** null where there was no answer. */
                status: number | null;
                /** Deliveries that are not delivered and failed so last. */
                count: number;
                /** ISO 8601, UTC. */
                firstSeenAt: string;
                /** ISO 8601, UTC. */
                lastSeenAt: string;
                /** The newest of them. */
                sampleDeliveryId: string;
                /** What the class means. */
                meaning: string;
                /** What to do about it. */
                remedy: string;
            }[];
            /** false where a destination has so many that only its newest 2,000 were counted. */
            isComplete: boolean;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/deliveries/failures${QS.query(QS.explode({
        destinationId
    }))}`, {
        ...opts
    });
}
/**
 * Lists deliveries, newest first
 */
export function listDeliveries({ limit, cursor, destinationId, state, eventId, $class, status, $from, to }: {
    limit?: number;
    cursor?: string;
    destinationId?: string;
    state?: "pending" | "delivered" | "rejected" | "expired" | "held" | "quarantined";
    eventId?: string;
    $class?: "delivered" | "http_5xx" | "http_throttled" | "http_4xx" | "redirect" | "timeout" | "connection_failed" | "dns_failed" | "protocol_error" | "certificate_invalid" | "address_forbidden" | "port_forbidden";
    status?: number;
    $from?: string;
    to?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Delivery[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/deliveries${QS.query(QS.explode({
        limit,
        cursor,
        destinationId,
        state,
        eventId,
        "class": $class,
        status,
        "from": $from,
        to
    }))}`, {
        ...opts
    });
}
/**
 * Shows a delivery with its attempts
 */
export function getDelivery(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Delivery;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/deliveries/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Makes another round now
 */
export function retryDelivery(id: string, body: {}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Delivery;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/deliveries/${encodeURIComponent(id)}/retry`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Delivers past events again
 */
export function createReplay(body: {
    /** The id of a destination. */
    destinationId: string;
    /** Deliveries in these states, of delivered, rejected, expired, quarantined; rejected and expired if absent. */
    states?: ("delivered" | "rejected" | "expired" | "quarantined")[];
    /** Of events received at this time or later, as ISO 8601: 2026-11-21T09:30:00Z. */
    "from"?: string;
    /** Of events received before this; now if absent, as ISO 8601: 2026-11-21T09:30:00Z. */
    to?: string;
    /** Of events of these types, of identify, track, page, screen, group, alias. */
    types?: ("identify" | "track" | "page" | "screen" | "group" | "alias")[];
    /** Of events that contain this somewhere, in any case: 1 to 1,024 characters. */
    text?: string;
    /** true: besides, events that came while the destination was off. */
    includeDeclined?: boolean;
    /** Deliveries per second at most, a whole number from 1; no limit if absent. */
    ratePerSecond?: number;
    /** true: only counts what matches. */
    dryRun?: boolean;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            dryRun: true;
            /** Deliveries that a replay would make due again. */
            matches: number;
        };
    } | {
        status: 201;
        data: Replay;
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/replays", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Lists replays, newest first
 */
export function listReplays({ limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Replay[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/replays${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Shows a replay and how far it is
 */
export function getReplay(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Replay;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/replays/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Ends a replay
 */
export function cancelReplay(id: string, body: {}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Replay;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/replays/${encodeURIComponent(id)}/cancel`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Deletes users, and tells receivers of it
 */
export function createDeletion(body: {
    /** The userIds of 1 to 5000 users, texts that are not empty. */
    userIds: string[];
    /** The ids of sources. Leave it out for every source, removed ones included. */
    sourceIds?: string[];
    /** true: new events of the users are not kept from now on. */
    suppress?: boolean;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: {
            id: string;
            state: "queued";
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/deletions", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Lists deletions, newest first
 */
export function listDeletions({ limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Deletion[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/deletions${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Shows a deletion and how far it is
 */
export function getDeletion(id: string, { format }: {
    format?: "receipt";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            id: string;
            /** finished: done, and every receiver told. partial: done, but not every one told. */
            state: "queued" | "running" | "finished" | "partial";
            /** How many users it is about. */
            users: number;
            /** null: every source. */
            sourceIds: string[] | null;
            suppress: boolean;
            /** ISO 8601, UTC. */
            createdAt: string;
            /** ISO 8601, UTC. */
            suppressedAt: string | null;
            /** ISO 8601, UTC. */
            purgedAt: string | null;
            purged: {
                events: number;
                deliveries: number;
            };
            /** One for each source and destination; empty until the purge is done. */
            notifications: {
                sourceId: string;
                destinationId: string;
                status: "pending" | "delivered" | "partial" | "failed";
                notices: {
                    waiting: number;
                    delivered: number;
                    failed: number;
                };
                attempts: number;
                /** ISO 8601, UTC. */
                notifiedAt: string | null;
            }[];
            userIds: string[];
        } | {
            receipt: {
                [key: string]: any;
            };
            signature: {
                algorithm: "Ed25519";
                /** SPKI in DER, as base64. */
                publicKey: string;
                /** base64 */
                value: string;
            };
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/deletions/${encodeURIComponent(id)}${QS.query(QS.explode({
        format
    }))}`, {
        ...opts
    });
}
/**
 * Lists the notices of a deletion with their attempts
 */
export function listDeletionNotices(id: string, { limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: {
                [key: string]: any;
            }[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/deletions/${encodeURIComponent(id)}/notices${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Lists suppressed users, newest first
 */
export function listSuppressions({ limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: {
                userId: string;
                /** null: in every source. */
                sourceId: string | null;
                /** ISO 8601, UTC. */
                since: string;
                /** The deletion that asked for it. */
                deletionId: string;
            }[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/suppressions${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Lets a user come back, in every source
 */
export function removeSuppression(userId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/suppressions/${encodeURIComponent(userId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Lists tokens, oldest first
 */
export function listTokens({ limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Token[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/tokens${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Makes a token, and shows it this once
 */
export function createToken(body: {
    /** A text of 1 to 200 characters, not only spaces. */
    name: string;
    /** One of viewer, editor, admin: who reads, who changes things, who manages tokens and data. */
    role: "viewer" | "editor" | "admin";
    /** When it expires: a time in the future, ISO 8601. null or absent for never. */
    expiresAt?: string | null;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: {
            id: string;
            /** A text of 1 to 200 characters, not only spaces. */
            name: string;
            /** One of viewer, editor, admin: who reads, who changes things, who manages tokens and data. */
            role: "viewer" | "editor" | "admin";
            /** ISO 8601, UTC. */
            createdAt: string;
            /** ISO 8601, UTC. */
            expiresAt: string | null;
            /** ISO 8601, UTC. */
            lastUsedAt: string | null;
            /** Keep it: it is a secret. */
            token: string;
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/tokens", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Removes a token; requests with it are refused from now on
 */
export function removeToken(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/tokens/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Lists who changed what, newest first
 */
export function listAudit({ limit, cursor, actorId, action, targetId }: {
    limit?: number;
    cursor?: string;
    actorId?: string;
    action?: string;
    targetId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: {
                id: string;
                /** ISO 8601, UTC. */
                at: string;
                actor: {
                    id: string;
                    name: string;
                    role: string;
                };
                /** The operationId of what was done. */
                action: string;
                /** The id of what was changed. */
                targetId: string | null;
                before: {
                    [key: string]: any;
                } | {
                    [key: string]: any;
                };
                after: {
                    [key: string]: any;
                } | {
                    [key: string]: any;
                };
                requestId: string;
            }[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/audit${QS.query(QS.explode({
        limit,
        cursor,
        actorId,
        action,
        targetId
    }))}`, {
        ...opts
    });
}
/**
 * Counts over time: received, refused, filtered, delivered, failed, pending, latency
 */
export function getStatistics({ $from, to, step, sourceId, destinationId }: {
    $from?: string;
    to?: string;
    step?: "1m" | "5m" | "15m" | "1h" | "6h" | "1d";
    sourceId?: string;
    destinationId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** ISO 8601, UTC. */
            "from": string;
            /** ISO 8601, UTC. */
            to: string;
            stepMs: number;
            points: {
                /** ISO 8601, UTC. */
                at: string;
                /** Calls accepted, duplicates included. */
                received: number;
                /** Calls refused, by code. Many belong to no source: empty where one source or destination is asked for. */
                refused: {
                    [key: string]: number;
                };
                /** Calls left out because they had come before. */
                duplicates: number;
                /** Decisions against a delivery, by reason. */
                filtered: {
                    [key: string]: number;
                };
                delivered: number;
                /** Deliveries that ended undelivered, by state. */
                failed: {
                    [key: string]: number;
                };
                /** Deliveries waiting, on average. */
                pending: number | null;
                /** From receipt to delivery, right to 5 %; null where nothing was delivered. */
                latencyMs: {
                    p50: number;
                    p95: number;
                    p99: number;
                } | null;
            }[];
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/stats${QS.query(QS.explode({
        "from": $from,
        to,
        step,
        sourceId,
        destinationId
    }))}`, {
        ...opts
    });
}
/**
 * Tells events, decisions and attempts as they happen
 */
export function watch({ kind, sourceId, destinationId, $type, event, userId, lastEventId }: {
    kind?: "event" | "decision" | "attempt";
    sourceId?: string;
    destinationId?: string;
    $type?: "identify" | "track" | "page" | "screen" | "group" | "alias";
    event?: string;
    userId?: string;
    lastEventId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/live${QS.query(QS.explode({
        kind,
        sourceId,
        destinationId,
        "type": $type,
        event,
        userId
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "last-event-id": lastEventId
        })
    });
}
/**
 * Sources and destinations as one document
 */
export function exportConfiguration({ withSecrets }: {
    withSecrets?: "true" | "false";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The version of the form: 1. */
            hookline: 1;
            /** Entries as GET /export gives them: every field, no other. */
            sources: {
                id: string;
                /** A text of 1 to 200 characters, not only spaces. */
                name: string;
                enabled: boolean;
                rateLimit: number | null;
                writeKeys?: string[];
            }[];
            /** Entries as GET /export gives them: every field, no other. */
            destinations: {
                id: string;
                sourceId: string;
                "type": "Webhooks";
                /** A text of 1 to 200 characters, not only spaces. */
                name: string;
                enabled: boolean;
                /** Whether deliveries are held; if absent, as it is. */
                paused?: boolean;
                /** As POST /destinations takes them. */
                settings: {
                    [key: string]: any;
                };
            }[];
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/export${QS.query(QS.explode({
        withSecrets
    }))}`, {
        ...opts
    });
}
/**
 * Makes sources and destinations as a document says
 */
export function importConfiguration(body: {
    /** The version of the form: 1. */
    hookline: 1;
    /** Entries as GET /export gives them: every field, no other. */
    sources: {
        id: string;
        /** A text of 1 to 200 characters, not only spaces. */
        name: string;
        enabled: boolean;
        rateLimit: number | null;
        writeKeys?: string[];
    }[];
    /** Entries as GET /export gives them: every field, no other. */
    destinations: {
        id: string;
        sourceId: string;
        "type": "Webhooks";
        /** A text of 1 to 200 characters, not only spaces. */
        name: string;
        enabled: boolean;
        /** Whether deliveries are held; if absent, as it is. */
        paused?: boolean;
        /** As POST /destinations takes them. */
        settings: {
            [key: string]: any;
        };
    }[];
}, { dryRun }: {
    dryRun?: "true" | "false";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            dryRun: boolean;
            created: string[];
            changed: {
                id: string;
                fields: string[];
            }[];
            unchanged: string[];
            /** Sources and destinations that are here and not in the document. They stay. */
            notInDocument: string[];
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/import${QS.query(QS.explode({
        dryRun
    }))}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body
    }));
}
/**
 * A copy of the database, while the service goes on
 */
export function getBackup(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/backup", {
        ...opts
    });
}
