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
    /** true or false. A disabled source refuses all calls. */
    enabled: boolean;
    /** Calls per second and node, a whole number from 1; null for no limit. */
    rateLimit: number | null;
    writeKeys: {
        key: string;
        /** ISO 8601, UTC. */
        createdAt: string;
        /** To the minute; null if the key was never used. */
        lastUsedAt: string | null;
    }[];
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    updatedAt: string;
    /** The version, as in the ETag. */
    version: number;
};
export type Problem = {
    "type": string;
    title: string;
    status: number;
    /** For programs; docs/errors.md explains each code. */
    code: string;
    detail: string;
    requestId: string;
    errors: {
        /** A JSON Pointer into the body, or the name of a parameter. */
        pointer: string;
        code: string;
        message: string;
        hint: string;
    }[];
};
export type Destination = {
    id: string;
    /** The id of the source whose events it receives. */
    sourceId: string;
    /** Webhooks: there is no other type. */
    "type": "Webhooks";
    /** A text of 1 to 200 characters, not only spaces. */
    name: string;
    /** true or false. Events that arrive while it is false are not delivered. */
    enabled: boolean;
    /** When it was last enabled or disabled, or else created. null if an earlier version of Hookline did that. */
    enabledChangedAt: string | null;
    /** null while deliveries are attempted; otherwise since when and why they are held. */
    paused: {
        /** ISO 8601, UTC. */
        since: string;
        /** gone: the receiver responded with 410 three times in a row, a minute apart. forbidden: its address or port is forbidden by allowedNetworks or allowedPorts; it is tried again after each start of Hookline. */
        reason: "operator" | "gone" | "forbidden";
    } | null;
    settings: {
        sharedSecret: {
            "set": boolean;
            last4?: string;
            /** Until then, webhook-signature also contains the signature of the previous secret. */
            previousUntil?: string;
        };
        webhooks: {
            /** An http or https URL without credentials and fragment. */
            url: string;
            headers: {
                [key: string]: {
                    "set": true;
                };
            };
            /** null while deliveries are attempted; otherwise since when and why they are held. */
            paused: {
                /** ISO 8601, UTC. */
                since: string;
                /** gone: the receiver responded with 410 three times in a row, a minute apart. forbidden: its address or port is forbidden by allowedNetworks or allowedPorts; it is tried again after each start of Hookline. */
                reason: "operator" | "gone" | "forbidden";
            } | null;
        }[];
        /** any: a delivery is delivered when one webhook accepted it. each: when every webhook accepted it. */
        successPolicy: "any" | "each";
    };
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    updatedAt: string;
    /** The version, as in the ETag. */
    version: number;
    /** What will not work as it is: webhooks whose address the setting allowedNetworks forbids, as far as the URL shows it. */
    warnings?: {
        pointer: string;
        code: string;
        message: string;
        hint: string;
    }[];
};
export type Event = {
    id: string;
    /** For a computed event: the id of the audience or computed trait. */
    sourceId: string;
    /** The call as received, validated and stamped. */
    event: {
        [key: string]: any;
    };
    /** ISO 8601, UTC. */
    receivedAt: string;
    /** What Hookline noticed about the call. */
    marks: ("precision_lost" | "timestamp_unreadable")[];
    /** The number of later calls with the same messageId. They were dropped. */
    duplicates: number;
    /** When the last of them arrived. null if there is none, or if an earlier version of Hookline received it. */
    lastDuplicateAt: string | null;
};
export type Suppression = {
    userId: string;
    /** null: every source. */
    sourceId: string | null;
    /** ISO 8601, UTC. */
    since: string;
    /** The deletion that requested it. */
    deletionId: string;
    /** How many calls of the user got a 200 and were not kept. */
    callsLeftOut: number;
    /** When the last of them arrived. */
    lastLeftOutAt: string | null;
};
export type Delivery = {
    /** The webhook-id of every attempt. */
    id: string;
    eventId: string;
    destinationId: string;
    /** One of pending, delivered, rejected, expired, held, quarantined. */
    state: "pending" | "delivered" | "rejected" | "expired" | "held" | "quarantined";
    /** The most attempts on one of its webhooks since the last replay or retry. */
    rounds: number;
    /** The last replay that delivered it again. */
    replayId?: string;
    /** Why the delivery is in quarantine. */
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
        /** not_retried: an attempt failed, and another webhook has the event (success policy any). removed: the webhook was removed first. */
        state: "pending" | "held" | "delivered" | "rejected" | "expired" | "not_retried" | "removed";
        outcome: "delivered" | "retry" | "rejected" | null;
        /** ISO 8601, UTC. */
        firstDueAt: string;
        /** ISO 8601, UTC. */
        nextAttemptAt: string | null;
        /** Why the webhook does not have the event yet. nextAttemptAt is null when somebody must end the cause. */
        waiting: {
            reason: "in_flight" | "in_line" | "retry" | "retry_after" | "breaker_open" | "webhook_paused" | "webhook_gone" | "url_forbidden" | "destination_paused" | "destination_disabled";
            /** ISO 8601, UTC. */
            since: string;
            /** ISO 8601, UTC. */
            nextAttemptAt: string | null;
            /** The reason and its remedy, as text. */
            explanation: string;
        } | null;
        /** The last attempt; null before the first. */
        last: {
            id: string;
            /** The number of the attempt on this webhook, from 1. */
            "number": number;
            url: string;
            /** ISO 8601, UTC. */
            startedAt: string;
            durationMs: number;
            /** The duration of each phase. A phase that is absent was not needed or not reached. */
            timing: {
                /** The DNS lookup. */
                lookupMs?: number;
                connectMs?: number;
                tlsMs?: number;
                /** Sending the request, and waiting for the last response header. */
                answerMs?: number;
            };
            outcome: "delivered" | "retry" | "rejected";
            /** delivered, or what went wrong; docs/errors.md explains each class. */
            "class": string;
            status?: number;
            /** What went wrong, as text. */
            error?: string;
            /** The replay that the attempt belongs to. */
            replayId?: string;
        } | null;
    }[];
    attempts: {
        id: string;
        /** The number of the attempt on this webhook, from 1. */
        "number": number;
        url: string;
        /** ISO 8601, UTC. */
        startedAt: string;
        durationMs: number;
        /** The duration of each phase. A phase that is absent was not needed or not reached. */
        timing: {
            /** The DNS lookup. */
            lookupMs?: number;
            connectMs?: number;
            tlsMs?: number;
            /** Sending the request, and waiting for the last response header. */
            answerMs?: number;
        };
        outcome: "delivered" | "retry" | "rejected";
        /** delivered, or what went wrong; docs/errors.md explains each class. */
        "class": string;
        status?: number;
        /** What went wrong, as text. */
        error?: string;
        /** The replay that the attempt belongs to. */
        replayId?: string;
        headers?: {
            [key: string]: string;
        };
        /** The beginning of the response body. */
        body?: string;
    }[];
};
export type Replay = {
    /** The value of the header X-Hookline-Replay on its attempts. */
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
    /** Deliveries and decisions scanned so far. */
    scanned: number;
    /** Deliveries made due again so far. */
    requeued: number;
    /** How many of these are delivered so far. */
    delivered: number;
    /** How many of these ended undelivered so far. */
    failed: number;
    /** How far the replay has come between from and to. */
    reachedAt: string | null;
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    finishedAt: string | null;
};
export type Deletion = {
    id: string;
    /** finished: done, and every receiver was notified. partial: done, but not every receiver could be notified. */
    state: "queued" | "running" | "finished" | "partial";
    /** The number of users to delete. */
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
    /** One for each source and destination. Empty until the purge is done. */
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
    /** One of viewer, editor, admin. Viewers read, editors also change records, admins also manage tokens and data. */
    role: "viewer" | "editor" | "admin";
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    expiresAt: string | null;
    /** ISO 8601, UTC. */
    lastUsedAt: string | null;
};
/**
 * Shows this document
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
 * Creates a source with a write key
 */
export function createSource(body: {
    /** A text of 1 to 200 characters, not only spaces. */
    name: string;
    /** true or false. A disabled source refuses all calls. */
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
 * Changes a source
 */
export function changeSource(id: string, body: {
    /** A text of 1 to 200 characters, not only spaces. */
    name?: string;
    /** true or false. A disabled source refuses all calls. */
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
 * Adds a write key
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
            /** To the minute; null if the key was never used. */
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
 * Creates a destination, disabled by default
 */
export function createDestination(body: {
    /** The id of the source whose events it receives. */
    sourceId: string;
    /** Webhooks: there is no other type. */
    "type": "Webhooks";
    /** A text of 1 to 200 characters, not only spaces. */
    name?: string;
    /** true or false. Events that arrive while it is false are not delivered. */
    enabled?: boolean;
    settings: {
        webhooks?: {
            /** An http or https URL without credentials and fragment. */
            url: string;
            /** Accepted as it is shown, and ignored: see /pause and /resume. */
            paused?: any;
            /** Static headers: values by name. Headers that Hookline or the connection sets are refused. The value {"set": true}, as it is shown, keeps the stored value. */
            headers?: {
                [key: string]: any;
            };
        }[];
        /** Shorthand for webhooks: one URL without headers. */
        webhookUrl?: string;
        /** The key of the signatures; null for no signatures. The object that responses show keeps the stored secret. */
        sharedSecret?: string | null | object;
        /** any: a delivery is delivered when one webhook accepted it. each: when every webhook accepted it. */
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
            /** The id of the source whose events it receives. */
            sourceId: string;
            /** Webhooks: there is no other type. */
            "type": "Webhooks";
            /** A text of 1 to 200 characters, not only spaces. */
            name: string;
            /** true or false. Events that arrive while it is false are not delivered. */
            enabled: boolean;
            /** When it was last enabled or disabled, or else created. null if an earlier version of Hookline did that. */
            enabledChangedAt: string | null;
            /** null while deliveries are attempted; otherwise since when and why they are held. */
            paused: {
                /** ISO 8601, UTC. */
                since: string;
                /** gone: the receiver responded with 410 three times in a row, a minute apart. forbidden: its address or port is forbidden by allowedNetworks or allowedPorts; it is tried again after each start of Hookline. */
                reason: "operator" | "gone" | "forbidden";
            } | null;
            settings: {
                sharedSecret: {
                    "set": boolean;
                    last4?: string;
                    /** Until then, webhook-signature also contains the signature of the previous secret. */
                    previousUntil?: string;
                };
                webhooks: {
                    /** An http or https URL without credentials and fragment. */
                    url: string;
                    headers: {
                        [key: string]: {
                            "set": true;
                        };
                    };
                    /** null while deliveries are attempted; otherwise since when and why they are held. */
                    paused: {
                        /** ISO 8601, UTC. */
                        since: string;
                        /** gone: the receiver responded with 410 three times in a row, a minute apart. forbidden: its address or port is forbidden by allowedNetworks or allowedPorts; it is tried again after each start of Hookline. */
                        reason: "operator" | "gone" | "forbidden";
                    } | null;
                }[];
                /** any: a delivery is delivered when one webhook accepted it. each: when every webhook accepted it. */
                successPolicy: "any" | "each";
            };
            /** ISO 8601, UTC. */
            createdAt: string;
            /** ISO 8601, UTC. */
            updatedAt: string;
            /** The version, as in the ETag. */
            version: number;
            /** What will not work as it is: webhooks whose address the setting allowedNetworks forbids, as far as the URL shows it. */
            warnings?: {
                pointer: string;
                code: string;
                message: string;
                hint: string;
            }[];
            health: {
                webhooks: {
                    url: string;
                    /** closed: attempts are made. open: no attempt is made. half_open: one attempt checks whether the webhook works again. */
                    breaker: "closed" | "open" | "half_open";
                    /** ISO 8601, UTC. */
                    brokenSince: string | null;
                    /** ISO 8601, UTC. */
                    restsUntil: string | null;
                    /** Until when the receiver asked for no attempt with Retry-After. */
                    retryAfterUntil: string | null;
                    /** Deliveries that wait for an attempt on it, also where another webhook has the event: GET /deliveries?waiting=true lists them. */
                    pending: number;
                    /** Deliveries that wait until it is resumed. */
                    held: number;
                    /** ISO 8601, UTC. */
                    oldestPendingAt: string | null;
                }[];
                /** Deliveries that no webhook has yet. */
                pending: number;
                /** Deliveries that wait until the destination is resumed. */
                held: number;
                /** ISO 8601, UTC. */
                oldestPendingAt: string | null;
                oldestPendingAgeMs: number | null;
                lastHour: {
                    attempts: number;
                    delivered: number;
                    /** 0 to 1; null if there was no attempt. */
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
 * Changes a destination
 */
export function changeDestination(id: string, body: {
    /** A text of 1 to 200 characters, not only spaces. */
    name?: string;
    /** true or false. Events that arrive while it is false are not delivered. */
    enabled?: boolean;
    settings?: {
        webhooks?: {
            /** An http or https URL without credentials and fragment. */
            url: string;
            /** Accepted as it is shown, and ignored: see /pause and /resume. */
            paused?: any;
            /** Static headers: values by name. Headers that Hookline or the connection sets are refused. The value {"set": true}, as it is shown, keeps the stored value. */
            headers?: {
                [key: string]: any;
            };
        }[];
        /** Shorthand for webhooks: one URL without headers. */
        webhookUrl?: string;
        /** The key of the signatures; null for no signatures. The object that responses show keeps the stored secret. */
        sharedSecret?: string | null | object;
        /** any: a delivery is delivered when one webhook accepted it. each: when every webhook accepted it. */
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
 * Pauses a destination: its deliveries are held
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
 * Resumes a destination
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
 * Closes the breakers of a destination: the next attempts are made now
 */
export function closeBreaker(id: string, body: {}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Destination;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/destinations/${encodeURIComponent(id)}/close-breaker`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Makes a test delivery and shows its result
 */
export function testDestination(id: string, body: {
    /** A sample of this type: identify, track, page, screen, group, alias, delete. */
    "type"?: "identify" | "track" | "page" | "screen" | "group" | "alias" | "delete";
    /** The id of an event of its source. */
    eventId?: string;
    /** true: only shows the requests, and sends nothing. */
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
                    /** As sent, but with the values of static headers hidden. */
                    headers: {
                        [key: string]: string;
                    };
                    /** The exact body of the request. */
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
                    /** The duration of each phase. A phase that is absent was not needed or not reached. */
                    timing: {
                        /** The DNS lookup. */
                        lookupMs?: number;
                        connectMs?: number;
                        tlsMs?: number;
                        /** Sending the request, and waiting for the last response header. */
                        answerMs?: number;
                    };
                    outcome: "delivered" | "retry" | "rejected";
                    /** delivered, or what went wrong; docs/errors.md explains each class. */
                    "class": string;
                    status?: number;
                    /** What went wrong, as text. */
                    error?: string;
                    /** How long the receiver asked to wait. */
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
 * Replaces the shared secret, with an overlap
 */
export function rotateSecret(id: string, body: {
    /** The new shared secret: a text of 1 to 1,024 characters. */
    secret: string;
    /** For how long requests are also signed with the old secret: 0 to 168 hours; 24 if absent. */
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
            /** With the query parameter userId: why later calls of this user are not in the list. At most 100, newest first. */
            suppressions?: Suppression[];
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
 * Shows an event and its trace
 */
export function getEvent(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            id: string;
            /** For a computed event: the id of the audience or computed trait. */
            sourceId: string;
            /** The call as received, validated and stamped. */
            event: {
                [key: string]: any;
            };
            /** ISO 8601, UTC. */
            receivedAt: string;
            /** What Hookline noticed about the call. */
            marks: ("precision_lost" | "timestamp_unreadable")[];
            /** The number of later calls with the same messageId. They were dropped. */
            duplicates: number;
            /** When the last of them arrived. null if there is none, or if an earlier version of Hookline received it. */
            lastDuplicateAt: string | null;
            source: {
                id: string;
                /** null if it was removed. */
                name: string | null;
            };
            decisions: {
                destinationId: string;
                decision: "deliver" | "declined" | "pending";
                /** The code of the reason, if declined. */
                reason: string | null;
                /** Since when the destination was off, if that is the reason. null if unknown. */
                since: string | null;
                /** The decision and its remedy, as text. */
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
 * Groups failed deliveries by destination, class and status
 */
export function listFailures({ destinationId }: {
    destinationId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: {
                destinationId: string;
                /** What went wrong; docs/errors.md explains each class. */
                "class": string;
                /** null if there was no response. */
                status: number | null;
                /** The number of undelivered deliveries whose last attempt failed in this way. */
                count: number;
                /** ISO 8601, UTC. */
                firstSeenAt: string;
                /** ISO 8601, UTC. */
                lastSeenAt: string;
                /** The newest of these deliveries. */
                sampleDeliveryId: string;
                /** What the class means. */
                meaning: string;
                /** What to do about it. */
                remedy: string;
            }[];
            /** false if a destination has so many that only its newest 2,000 were counted. */
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
export function listDeliveries({ limit, cursor, destinationId, state, waiting, eventId, $class, status, $from, to }: {
    limit?: number;
    cursor?: string;
    destinationId?: string;
    state?: "pending" | "delivered" | "rejected" | "expired" | "held" | "quarantined";
    waiting?: "true" | "false";
    eventId?: string;
    $class?: "delivered" | "http_5xx" | "http_throttled" | "http_4xx" | "redirect" | "timeout" | "connection_failed" | "dns_failed" | "proxy_failed" | "protocol_error" | "certificate_invalid" | "address_forbidden" | "port_forbidden" | "request_invalid" | "internal_error";
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
        waiting,
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
 * Retries a delivery now
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
    /** Only deliveries in these states: delivered, rejected, expired, quarantined; rejected and expired if absent. */
    states?: ("delivered" | "rejected" | "expired" | "quarantined")[];
    /** Only events received at this time or later, as ISO 8601: 2026-11-21T09:30:00Z. */
    "from"?: string;
    /** Only events received before this time; now if absent, as ISO 8601: 2026-11-21T09:30:00Z. */
    to?: string;
    /** Only events of these types: identify, track, page, screen, group, alias. */
    types?: ("identify" | "track" | "page" | "screen" | "group" | "alias")[];
    /** Only events that contain this text, upper and lower case alike: 1 to 1,024 characters. */
    text?: string;
    /** true: also events that arrived while the destination was disabled. */
    includeDeclined?: boolean;
    /** The maximum number of deliveries per second, a whole number from 1; no limit if absent. */
    ratePerSecond?: number;
    /** true: only counts the matching deliveries. */
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
 * Shows a replay and its progress
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
 * Cancels a replay
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
 * Deletes users and notifies receivers
 */
export function createDeletion(body: {
    /** The userIds of 1 to 5000 users, each a text that is not empty. */
    userIds: string[];
    /** The ids of sources. Leave it out for every source, removed ones included. */
    sourceIds?: string[];
    /** true: from now on, new events of these users are not kept. */
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
 * Shows a deletion and its progress
 */
export function getDeletion(id: string, { format }: {
    format?: "receipt";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            id: string;
            /** finished: done, and every receiver was notified. partial: done, but not every receiver could be notified. */
            state: "queued" | "running" | "finished" | "partial";
            /** The number of users to delete. */
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
            /** One for each source and destination. Empty until the purge is done. */
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
                /** The public key: SPKI in DER, as base64. */
                publicKey: string;
                /** The signature, as base64. */
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
export function listSuppressions({ limit, cursor, userId }: {
    limit?: number;
    cursor?: string;
    userId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Suppression[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/suppressions${QS.query(QS.explode({
        limit,
        cursor,
        userId
    }))}`, {
        ...opts
    });
}
/**
 * Ends the suppression of a user, in every source
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
 * Creates a token and shows it once
 */
export function createToken(body: {
    /** A text of 1 to 200 characters, not only spaces. */
    name: string;
    /** One of viewer, editor, admin. Viewers read, editors also change records, admins also manage tokens and data. */
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
            /** One of viewer, editor, admin. Viewers read, editors also change records, admins also manage tokens and data. */
            role: "viewer" | "editor" | "admin";
            /** ISO 8601, UTC. */
            createdAt: string;
            /** ISO 8601, UTC. */
            expiresAt: string | null;
            /** ISO 8601, UTC. */
            lastUsedAt: string | null;
            /** The secret token: store it safely. */
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
 * Removes a token
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
 * Lists changes and who made them, newest first
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
                /** The operationId of the request. */
                action: string;
                /** The id of the changed record. */
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
                /** The stored entry is damaged. It shows what can still be read of it. */
                unreadable?: true;
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
 * Shows counts over time: received, refused, filtered, delivered, failed, pending, latency
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
                /** Refused calls, by code. Many belong to no source, so this is empty if sourceId or destinationId is given. */
                refused: {
                    [key: string]: number;
                };
                /** Calls dropped as duplicates. */
                duplicates: number;
                /** Declined events, by reason. */
                filtered: {
                    [key: string]: number;
                };
                delivered: number;
                /** Deliveries that ended undelivered, by state. */
                failed: {
                    [key: string]: number;
                };
                /** The average number of waiting deliveries. */
                pending: number | null;
                /** From receipt to delivery, to within 5 %; null if nothing was delivered. */
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
 * Streams events, decisions and attempts as they happen
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
 * Exports sources and destinations as one document
 */
export function exportConfiguration({ withSecrets }: {
    withSecrets?: "true" | "false";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The version of the document format: 1. */
            hookline: 1;
            /** Entries as in the response to GET /export: every field, and no other. */
            sources: {
                id: string;
                /** A text of 1 to 200 characters, not only spaces. */
                name: string;
                enabled: boolean;
                rateLimit: number | null;
                writeKeys?: string[];
            }[];
            /** Entries as in the response to GET /export: every field, and no other. */
            destinations: {
                id: string;
                sourceId: string;
                "type": "Webhooks";
                /** A text of 1 to 200 characters, not only spaces. */
                name: string;
                enabled: boolean;
                /** Whether deliveries are held. If absent, an import leaves it unchanged. */
                paused?: boolean;
                /** As for POST /destinations. */
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
 * Imports sources and destinations from a document
 */
export function importConfiguration(body: {
    /** The version of the document format: 1. */
    hookline: 1;
    /** Entries as in the response to GET /export: every field, and no other. */
    sources: {
        id: string;
        /** A text of 1 to 200 characters, not only spaces. */
        name: string;
        enabled: boolean;
        rateLimit: number | null;
        writeKeys?: string[];
    }[];
    /** Entries as in the response to GET /export: every field, and no other. */
    destinations: {
        id: string;
        sourceId: string;
        "type": "Webhooks";
        /** A text of 1 to 200 characters, not only spaces. */
        name: string;
        enabled: boolean;
        /** Whether deliveries are held. If absent, an import leaves it unchanged. */
        paused?: boolean;
        /** As for POST /destinations. */
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
            /** Sources and destinations of this service that are not in the document. They stay. */
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
 * Downloads a copy of the database, while the service runs
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
