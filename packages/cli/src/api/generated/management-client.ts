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
    baseUrl: "http://127.0.0.1:4800"
};
const oazapfts = Oazapfts.runtime(defaults);
export const servers = {
    yourHooklineService: ({ address = "http://127.0.0.1:4800" }: {
        address: string | number | boolean;
    }) => `${address}`
};
export type Problem = {
    "type": string;
    title: string;
    status: number;
    /** For programs; docs/reference/errors.md explains each code. */
    code: string;
    detail: string;
    requestId: string;
    errors: {
        /** A JSON Pointer into the body or the parameters. */
        pointer: string;
        code: string;
        message: string;
        hint: string;
    }[];
};
export type Session = {
    id: string;
    /** "Sign-in link", or the name of the token that opened it. */
    name: string;
    /** The id of the token that opened it, admin-token, or this-machine if no sign-in was needed. The session ends when that token is deleted or expires. */
    openedBy: string;
    /** One of viewer, editor, admin. */
    role: "viewer" | "editor" | "admin";
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    expiresAt: string | null;
    /** ISO 8601, UTC. */
    lastUsedAt: string | null;
};
export type Source = {
    id: string;
    /** A string of 1 to 200 characters, not only spaces. */
    name: string;
    /** true or false. A disabled source rejects all calls. */
    enabled: boolean;
    /** The maximum number of calls per second on each node, at least 1; null for no limit. */
    rateLimit: number | null;
    /** Sources in the same space share profiles. A change applies to new events: earlier profiles remain in their space. 1 to 50 of the characters a-z, 0-9, _ and -. */
    space: string;
    /** Which unknown fields, and which parts of context, properties and traits, are stored: {"drop": ["context.ip"], "hash": [{"path": "traits.email", "normalize": "email"}]} or {"keep": [...]}. salt, the key of the hashes, is a secret: random if absent. If fields is null or absent, everything is stored. */
    fields?: object | null;
    writeKeys: {
        key: string;
        /** ISO 8601, UTC. */
        createdAt: string;
        /** To the minute; null if never used. */
        lastUsedAt: string | null;
    }[];
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    updatedAt: string;
    /** The version, which is also in the ETag. */
    version: number;
};
export type Destination = {
    id: string;
    /** The id of the source whose events the destination receives. */
    sourceId: string;
    /** Always Webhooks. */
    "type": "Webhooks";
    /** A string of 1 to 200 characters, not only spaces. */
    name: string;
    /** Events that arrive while enabled is false are not delivered. */
    enabled: boolean;
    /** When the destination was created, or last enabled or disabled. null if unknown. */
    enabledChangedAt: string | null;
    /** When and why the pause began; null if deliveries are not held. */
    paused: {
        /** ISO 8601, UTC. */
        since: string;
        /** webhook_gone: the receiver responded with 410 three times in a row, at least a minute apart. url_forbidden: allowedNetworks or allowedPorts does not allow the webhook's address or port; the webhook is tried again each time Hookline starts. disabled_by_receiver: a response had the header webhook-delivery: disable. */
        reason: "operator" | "webhook_gone" | "url_forbidden" | "disabled_by_receiver";
    } | null;
    settings: {
        sharedSecret: {
            "set": boolean;
            last4?: string;
            /** Until then, webhook-signature also has a signature from the previous secret. */
            previousUntil?: string;
        };
        /** What signs requests. secret: the secrets. ed25519: a key pair that Hookline generates, so that receivers need only its public key. both: the secrets and the key pair. */
        signature: "secret" | "ed25519" | "both";
        /** The Ed25519 key pairs, oldest first. Absent if there have never been any. */
        signingKeys?: {
            /** whpk_ and the key in base64 (Standard Webhooks). */
            publicKey: string;
            /** null if the key has signed from the start. */
            signsFrom: string | null;
            /** null while the key has no successor. */
            signsUntil: string | null;
        }[];
        webhooks: {
            /** An http or https URL without credentials or a fragment. Its path and query may contain {{userId}}, {{event}}, {{type}} and properties, such as {{properties.plan}}. Or the URL of a mail server with recipients: smtps://mail.example.com/?to=ops@example.com: the email has the subject and text that the transform returns. */
            url: string;
            headers: {
                [key: string]: {
                    "set": true;
                };
            };
            auth?: {
                basic?: {
                    user: string;
                    password: {
                        "set": true;
                    };
                };
                bearer?: {
                    "set": true;
                };
                oauth2?: {
                    tokenUrl: string;
                    clientId: string;
                    clientSecret: {
                        "set": true;
                    };
                    scope?: string;
                    audience?: string;
                    resource?: string;
                };
                clientCertificate?: {
                    certificate: {
                        "set": true;
                        subject: string;
                        /** ISO 8601, UTC. */
                        expiresAt: string;
                    };
                    key: {
                        "set": true;
                    };
                };
            };
            /** Limits of this webhook. An absent limit defaults to the service's setting. */
            limits?: {
                /** The maximum number of attempts per second, including retries, across all nodes. */
                perSecond?: number;
                /** The maximum number of attempts in flight, across all nodes. It can lower maxConcurrencyPerWebhook, but not raise it. */
                concurrency?: number;
                /** Overrides attemptTimeout: from 100ms to 30s. */
                timeout?: string;
                /** Overrides retryWindow: at most 7d, and shorter than retention. 0s: no retries. */
                retryWindow?: string;
                /** Overrides retrySchedule: the delays after the first, second, … attempt, from 1s to 24h. The last one repeats. */
                retrySchedule?: string[];
                /** Statuses that are retried, although they usually end the delivery, such as 409. 410 is not allowed. */
                retryOn?: number[];
            };
            secret?: {
                "set": boolean;
                last4?: string;
                /** Until then, webhook-signature also has a signature from the previous secret. */
                previousUntil?: string;
            };
            /** When and why the pause began; null if deliveries are not held. */
            paused: {
                /** ISO 8601, UTC. */
                since: string;
                /** webhook_gone: the receiver responded with 410 three times in a row, at least a minute apart. url_forbidden: allowedNetworks or allowedPorts does not allow the webhook's address or port; the webhook is tried again each time Hookline starts. disabled_by_receiver: a response had the header webhook-delivery: disable. */
                reason: "operator" | "webhook_gone" | "url_forbidden" | "disabled_by_receiver";
            } | null;
        }[];
        /** any: a delivery succeeds when one webhook has accepted it. each: when every webhook has accepted it. */
        successPolicy: "any" | "each";
        /** Which events the destination receives: {"event": "Order *"}, {"type": "identify"} or {"where": [{"property": "revenue", "op": ">=", "value": 100}]}, combined with and, or and not. null or absent: all events. */
        filter?: object | null;
        /** The share of the selected events that the destination receives, from 0 to 1: {"rate": 0.1, "by": "userId"}. null or absent: all of them. */
        sample?: object | null;
        /** Which fields of the payload the destination receives: {"drop": ["context.ip"]} or {"keep": ["properties.revenue"]}, and {"hash": [{"path": "traits.email", "normalize": "email"}]}. salt, the key of the hashes, is a secret: random if absent, and {"set": true} keeps the stored one. If fields is null or absent, the destination receives all fields. */
        fields?: object | null;
        /** hookline: the payload. full: the whole event, with receivedAt, sentAt, integrations and unknown fields. standard and cloudevents: Standard Webhooks or CloudEvents 1.0, with the payload in data. null or absent: hookline. */
        format?: ("hookline" | "full" | "standard" | "cloudevents" | null) | ("hookline" | "full" | "standard" | "cloudevents" | null);
        /** A JSONata expression that builds the body of each request from the payload: {"text": "…"}. If it returns nothing, nothing is sent. null or absent: the payload itself. */
        transform?: string | null;
        /** The HTTP method of requests. null or absent: POST. */
        method?: ("POST" | "PUT" | "PATCH" | null) | ("POST" | "PUT" | "PATCH" | null);
    };
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    updatedAt: string;
    /** The version, which is also in the ETag. */
    version: number;
    /** Warnings about webhooks that cannot receive requests or will soon be unable to, about short secrets, and about long retry windows. certificate_expired and certificate_expires: the client certificate has expired, or expires within 30 days. address_forbidden: the allowedNetworks setting does not allow the address. name_unresolved: the name has no address; names are looked up when a destination is created, changed, imported or tested. short_secret: a secret has fewer than 24 bytes. retry_window_too_long: retryWindow is not shorter than the retention setting. */
    warnings?: {
        /** A JSON Pointer into the body or the parameters. */
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
    /** Warnings about the call. */
    warnings: ("precision_lost" | "characters_lost" | "timestamp_unreadable")[];
    /** The number of later calls with this messageId, which were dropped. */
    duplicates: number;
    /** When the last duplicate arrived. */
    lastDuplicateAt: string | null;
    /** The number of destinations with each outcome. retrying: an attempt failed, and another one will follow. pending: no attempt was recorded, or none since the last replay or retry. failed: rejected, expired or quarantined. declined: not delivered, for a recorded reason. A destination is not counted before its decision is recorded, or during its first attempt. */
    outcomes: {
        failed?: number;
        retrying?: number;
        held?: number;
        pending?: number;
        declined?: number;
        delivered?: number;
    };
};
export type Suppression = {
    /** null for an anonymousId. */
    userId: string | null;
    /** null for a userId. */
    anonymousId: string | null;
    /** null: every source. */
    sourceId: string | null;
    /** ISO 8601, UTC. */
    since: string;
    /** The deletion that requested it. */
    deletionId: string;
    /** Calls for the user that got a 200 and were not stored. */
    droppedCalls: number;
    /** When the last dropped call arrived. */
    lastDroppedAt: string | null;
};
export type Delivery = {
    /** The webhook-id of every attempt. */
    id: string;
    eventId: string;
    /** In lists: the event, each value up to 200 characters; absent if deleted. */
    event?: {
        "type": string;
        name: string | null;
        userId: string | null;
        anonymousId: string | null;
    };
    destinationId: string;
    /** One of pending, delivered, declined, rejected, expired, held, quarantined. */
    state: "pending" | "delivered" | "declined" | "rejected" | "expired" | "held" | "quarantined";
    /** The number of attempts since the last replay or manual retry; with several webhooks, the highest number among them. */
    attemptCount: number;
    /** The last replay that delivered the event again. */
    replayId?: string;
    /** Why the delivery is quarantined. */
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
        /** not_retried: an attempt failed, and another webhook received the event (success policy any). removed: the webhook was deleted before delivery. */
        state: "pending" | "held" | "delivered" | "declined" | "rejected" | "expired" | "not_retried" | "removed";
        outcome: "delivered" | "retry" | "rejected" | "declined" | null;
        /** ISO 8601, UTC. */
        firstDueAt: string;
        /** ISO 8601, UTC. */
        nextAttemptAt: string | null;
        /** Why the webhook is waiting. nextAttemptAt is null while the webhook is paused, or the destination is paused or disabled. */
        waiting: {
            reason: "in_flight" | "queued" | "retry" | "retry_after" | "breaker_open" | "webhook_paused" | "webhook_gone" | "url_forbidden" | "disabled_by_receiver" | "destination_paused" | "destination_disabled";
            /** ISO 8601, UTC. */
            since: string;
            /** ISO 8601, UTC. */
            nextAttemptAt: string | null;
            /** The reason as text. */
            explanation: string;
            /** null if none is needed. */
            remedy: string | null;
        } | null;
        /** The last attempt; null before the first. */
        lastAttempt: {
            id: string;
            /** The number of the attempt to this webhook, starting at 1. */
            "number": number;
            url: string;
            /** ISO 8601, UTC. */
            startedAt: string;
            durationMs: number;
            /** The duration of each phase; absent if skipped or not reached. */
            timing: {
                /** The DNS lookup. */
                lookupMs?: number;
                connectMs?: number;
                tlsMs?: number;
                /** From sending the request to the last header. */
                responseMs?: number;
                /** Reading the body, at most 64 KiB or 1 s. Not included in durationMs; absent below 1 ms. */
                transferMs?: number;
            };
            outcome: "delivered" | "retry" | "rejected" | "declined";
            /** delivered, or the class of the error: see docs/reference/errors.md. */
            "class": string;
            status?: number;
            /** The error as text. */
            error?: string;
            /** The replay that the attempt belongs to. */
            replayId?: string;
        } | null;
    }[];
    attempts: {
        id: string;
        /** The number of the attempt to this webhook, starting at 1. */
        "number": number;
        url: string;
        /** ISO 8601, UTC. */
        startedAt: string;
        durationMs: number;
        /** The duration of each phase; absent if skipped or not reached. */
        timing: {
            /** The DNS lookup. */
            lookupMs?: number;
            connectMs?: number;
            tlsMs?: number;
            /** From sending the request to the last header. */
            responseMs?: number;
            /** Reading the body, at most 64 KiB or 1 s. Not included in durationMs; absent below 1 ms. */
            transferMs?: number;
        };
        outcome: "delivered" | "retry" | "rejected" | "declined";
        /** delivered, or the class of the error: see docs/reference/errors.md. */
        "class": string;
        status?: number;
        /** The error as text. */
        error?: string;
        /** The replay that the attempt belongs to. */
        replayId?: string;
        headers?: {
            [key: string]: string;
        };
        /** The beginning of the response body. For each webhook, Hookline stores one response per minute for successful attempts. For each class of failure, it stores the first 40 in each hour, then one per minute. */
        body?: string;
    }[];
};
export type EventName = {
    sourceId: string;
    /** null: the total of all other names, because at most 1000 names of up to 200 characters are stored per source. */
    "type": "identify" | "track" | "page" | "screen" | "group" | "alias" | null;
    /** The name of track, page and screen calls; null for calls without a name. */
    name: string | null;
    /** Received events, excluding duplicates and computed events. */
    count: number;
    /** The count for each of the last seven days (UTC), today last. */
    days: number[];
    /** ISO 8601, UTC. */
    firstSeenAt: string;
    /** ISO 8601, UTC. */
    lastSeenAt: string;
    /** The properties of the events, or the traits of identify and group calls, by name: at most 100. */
    properties: {
        name: string;
        /** The JSON types of its values. */
        types: ("string" | "number" | "boolean" | "object" | "array" | "null")[];
        /** When the name was last received, usually to within a minute. */
        lastSeenAt: string;
    }[];
    /** Whether properties were omitted: there are more than 100, or a name is longer than 200 characters. */
    hasMoreProperties: boolean;
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
    /** Deliveries queued again so far. */
    requeued: number;
    /** How many of the requeued deliveries were delivered. */
    delivered: number;
    /** How many of the requeued deliveries failed. The remaining ones are in progress, or were declined by the transform. */
    failed: number;
    /** How far the replay has progressed between from and to. */
    reachedAt: string | null;
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    finishedAt: string | null;
};
export type Deletion = {
    id: string;
    /** finished: done, and every receiver was notified. partial: done, but some notices failed. */
    state: "queued" | "running" | "finished" | "partial";
    /** The number of userIds. */
    users: number;
    /** The number of anonymousIds. */
    anonymousUsers: number;
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
        /** How many of the removed events had no userId. */
        anonymousEvents: number;
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
    /** A string of 1 to 200 characters, not only spaces. */
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
export type StatisticsPoint = {
    /** ISO 8601, UTC. */
    at: string;
    /** Accepted calls, including duplicates. */
    received: number;
    /** Rejected calls, by code. Dropped calls for suppressed users have the key suppressed. Calls without a valid write key are not counted for any source. */
    rejected: {
        [key: string]: number;
    };
    /** Dropped duplicates. */
    duplicates: number;
    /** Declined events, by reason. */
    declined: {
        [key: string]: number;
    };
    delivered: number;
    /** Deliveries that failed, by state. */
    failed: {
        [key: string]: number;
    };
    /** Attempts, by HTTP status class (2xx to 5xx) or no_response. */
    attempts: {
        [key: string]: number;
    };
    /** Attempts with the outcome retry. */
    retried: number;
    /** Profiles that entered an audience, or for which a computed trait was set or changed. */
    entered: number;
    /** Profiles that left an audience, or for which a computed trait was removed. */
    left: number;
    /** Ids not linked to their call's userId, by reason: other_user, limit, placeholder. */
    unlinked: {
        [key: string]: number;
    };
    /** The average number of pending deliveries. */
    pending: number | null;
    /** From receipt to delivery, without replays, to within 5%; null if nothing was delivered. */
    latencyMs: {
        p50: number;
        p95: number;
        p99: number;
    } | null;
};
export type Sync = {
    id: string;
    reason: "created" | "changed" | "requested" | "daily" | "deleted";
    /** waiting: for other syncs, or for stored events to be counted. running: evaluating profiles. */
    state: "waiting" | "running" | "done" | "failed";
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    startedAt: string | null;
    /** ISO 8601, UTC. */
    finishedAt: string | null;
    /** Profiles evaluated so far. */
    evaluated: number;
    /** Profiles that got a new value. A sync with the reason created or changed includes profiles that were evaluated in real time in the meantime. */
    entered: number;
    /** Profiles that lost their value, counted in the same way as entered. */
    left: number;
    /** Changes that real-time evaluation missed. Always 0 unless there is a bug. */
    missed: number;
    /** Why the sync failed. */
    error: string | null;
};
export type Audience = {
    id: string;
    /** A string of 1 to 200 characters, not only spaces. */
    name: string;
    /** The name of the trait that is sent: the original name in snake_case. It never changes. */
    key: string;
    space: string;
    /** Ids of at most 50 destinations that get changes. They may belong to any source except src_hookline. */
    destinationIds: string[];
    /** null for a manual audience. */
    condition: {
        [key: string]: any;
    } | null;
    /** Whether the audience is a manual list of members. */
    manual: boolean;
    /** true or false. While false, nothing is computed or sent. */
    enabled: boolean;
    /** preparing: the sync after its creation or last change has not finished, or it is being deleted. live: up to date with events. paused: all its destinations are disabled, paused or deleted. disabled: nothing is computed or sent. failed: see reason. */
    state: "preparing" | "live" | "paused" | "disabled" | "failed";
    /** The reason for the state. */
    reason: string | null;
    /** Number of members, or of profiles with a value. */
    size: number;
    /** Progress of the sync, if any. */
    progress: {
        /** backfilling: counting stored events. evaluating: evaluating profiles. announcing: sending values. */
        step: "backfilling" | "evaluating" | "announcing";
        /** Events, profiles or users processed so far. */
        done: number;
        total: number;
    } | null;
    /** The waiting or running sync. */
    sync: Sync | null;
    /** The last finished sync. */
    lastSync: Sync | null;
    /** Events received since this time are counted; older ones were no longer stored when counting began. null if no events are counted. */
    reachesBackTo: string | null;
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    updatedAt: string;
    /** The version, which is also in the ETag. */
    version: number;
};
export type ComputedTrait = {
    id: string;
    /** A string of 1 to 200 characters, not only spaces. */
    name: string;
    /** The name of the trait that is sent: the original name in snake_case. It never changes. */
    key: string;
    space: string;
    /** Ids of at most 50 destinations that get changes. They may belong to any source except src_hookline. */
    destinationIds: string[];
    /** How the value is computed from the user's events: {"fn": "count|sum|avg|min|max|first|last|most_frequent|unique_list|unique_count", "event": "Order Completed", "property": "revenue", "within": {"days": 30}, "where": [{"property": …, "op": …, "value": …}]}. Every fn except count requires a property. Instead of event: "type": "page" and its "name". Instead of within: "between": [from, to]. */
    compute: {
        [key: string]: any;
    };
    /** true or false. While false, nothing is computed or sent. */
    enabled: boolean;
    /** preparing: the sync after its creation or last change has not finished, or it is being deleted. live: up to date with events. paused: all its destinations are disabled, paused or deleted. disabled: nothing is computed or sent. failed: see reason. */
    state: "preparing" | "live" | "paused" | "disabled" | "failed";
    /** The reason for the state. */
    reason: string | null;
    /** Number of members, or of profiles with a value. */
    size: number;
    /** Progress of the sync, if any. */
    progress: {
        /** backfilling: counting stored events. evaluating: evaluating profiles. announcing: sending values. */
        step: "backfilling" | "evaluating" | "announcing";
        /** Events, profiles or users processed so far. */
        done: number;
        total: number;
    } | null;
    /** The waiting or running sync. */
    sync: Sync | null;
    /** The last finished sync. */
    lastSync: Sync | null;
    /** Events received since this time are counted; older ones were no longer stored when counting began. null if no events are counted. */
    reachesBackTo: string | null;
    /** ISO 8601, UTC. */
    createdAt: string;
    /** ISO 8601, UTC. */
    updatedAt: string;
    /** The version, which is also in the ETag. */
    version: number;
};
export type ProfileSummary = {
    space: string;
    userIds: string[];
    anonymousIds: string[];
    traits: {
        [key: string]: any;
    };
    /** ISO 8601, UTC. */
    firstSeenAt: string | null;
    /** ISO 8601, UTC. */
    lastSeenAt: string | null;
};
export type Profile = {
    space: string;
    userIds: string[];
    anonymousIds: string[];
    /** Why the profile has several ids: for each anonymousId the earliest call that contained it, and the alias calls of its users. Deleting a user also deletes the anonymousIds linked to that user, but no other user. */
    links: {
        /** Whether id is a userId or an anonymousId. */
        kind: "user" | "anonymous";
        id: string;
        /** The user of the call. */
        userId: string;
        /** ISO 8601, UTC. */
        at: string;
        eventId: string;
        sourceId: string;
    }[];
    /** Ids in the profile's calls that are not linked to it: the earliest 20 of each kind, and their number, up to 1,000. */
    unlinkedIds: {
        /** Another user was seen with the anonymousId first. */
        otherUser: {
            count: number;
            links: {
                /** Whether id is a userId or an anonymousId. */
                kind: "user" | "anonymous";
                id: string;
                /** The user of the call. */
                userId: string;
                /** ISO 8601, UTC. */
                at: string;
                eventId: string;
                sourceId: string;
            }[];
        };
        /** The profile has maxAnonymousIds anonymousIds, or an alias call would join more than 100 users. */
        limit: {
            count: number;
            links: {
                /** Whether id is a userId or an anonymousId. */
                kind: "user" | "anonymous";
                id: string;
                /** The user of the call. */
                userId: string;
                /** ISO 8601, UTC. */
                at: string;
                eventId: string;
                sourceId: string;
            }[];
        };
        /** Calls with a placeholder id, such as undefined or 0. */
        placeholders: number;
    };
    /** The traits from identify calls, each with its event. The newest value applies; a timestamp in the future counts as the time of receipt. */
    traits: {
        [key: string]: {
            /** Any JSON. */
            value: any;
            /** ISO 8601, UTC. */
            at: string;
            eventId: string;
            sourceId: string;
        };
    };
    computedTraits: {
        id: string;
        key: string;
        name: string;
        /** ISO 8601, UTC. */
        since: string;
        /** Any JSON. */
        value: any;
    }[];
    audiences: {
        id: string;
        key: string;
        name: string;
        /** ISO 8601, UTC. */
        since: string;
    }[];
    /** The number of events per type. */
    counts: {
        identify?: number;
        track?: number;
        page?: number;
        screen?: number;
        group?: number;
        alias?: number;
    };
    /** The earliest timestamp of its events; null without events. */
    firstSeenAt: string | null;
    /** The latest timestamp of its events. */
    lastSeenAt: string | null;
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
 * Signs a browser in, with the code from a link or with a token
 */
export function createSession(body: {
    /** The code from a sign-in link, after its #. */
    code?: string;
    /** A token for this API. */
    token?: string;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: {
            /** How the request was authenticated. open: `hookline dev` on this machine, without signing in. */
            kind: "session" | "token" | "open";
            id: string;
            name: string;
            /** One of viewer, editor, admin. */
            role: "viewer" | "editor" | "admin";
            /** For the X-CSRF-Token header; null with a token. */
            csrfToken: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/sessions", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Lists console sessions, oldest first
 */
export function listSessions({ limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Session[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/sessions${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Creates a one-time sign-in link for the console
 */
export function createSignInLink(body: {
    /** One of viewer, editor, admin. */
    role?: "viewer" | "editor" | "admin";
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: {
            /** The path of the link. */
            path: string;
            /** One of viewer, editor, admin. */
            role: "viewer" | "editor" | "admin";
            /** ISO 8601, UTC. */
            expiresAt: string;
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/sign-in-links", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Shows the current session or token
 */
export function getCurrentSession(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** How the request was authenticated. open: `hookline dev` on this machine, without signing in. */
            kind: "session" | "token" | "open";
            id: string;
            name: string;
            /** One of viewer, editor, admin. */
            role: "viewer" | "editor" | "admin";
            /** For the X-CSRF-Token header; null with a token. */
            csrfToken: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/session", {
        ...opts
    });
}
/**
 * Ends your own session, or, as an admin, any session
 */
export function removeSession(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/sessions/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
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
    /** A string of 1 to 200 characters, not only spaces. */
    name: string;
    /** Which unknown fields, and which parts of context, properties and traits, are stored: {"drop": ["context.ip"], "hash": [{"path": "traits.email", "normalize": "email"}]} or {"keep": [...]}. salt, the key of the hashes, is a secret: random if absent. If fields is null or absent, everything is stored. */
    fields?: object | null;
    /** true or false. A disabled source rejects all calls. */
    enabled?: boolean;
    /** The maximum number of calls per second on each node, at least 1; null for no limit. */
    rateLimit?: number | null;
    /** Sources in the same space share profiles. A change applies to new events: earlier profiles remain in their space. 1 to 50 of the characters a-z, 0-9, _ and -. */
    space?: string;
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
    /** A string of 1 to 200 characters, not only spaces. */
    name?: string;
    /** Which unknown fields, and which parts of context, properties and traits, are stored: {"drop": ["context.ip"], "hash": [{"path": "traits.email", "normalize": "email"}]} or {"keep": [...]}. salt, the key of the hashes, is a secret: random if absent. If fields is null or absent, everything is stored. */
    fields?: object | null;
    /** true or false. A disabled source rejects all calls. */
    enabled?: boolean;
    /** The maximum number of calls per second on each node, at least 1; null for no limit. */
    rateLimit?: number | null;
    /** Sources in the same space share profiles. A change applies to new events: earlier profiles remain in their space. 1 to 50 of the characters a-z, 0-9, _ and -. */
    space?: string;
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
 * Deletes a source and its destinations
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
            /** To the minute; null if never used. */
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
 * Deletes a write key
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
    /** The id of the source whose events the destination receives. */
    sourceId: string;
    /** Always Webhooks. */
    "type": "Webhooks";
    /** A string of 1 to 200 characters, not only spaces. */
    name?: string;
    /** Events that arrive while enabled is false are not delivered. */
    enabled?: boolean;
    settings: {
        webhooks?: {
            /** An http or https URL without credentials or a fragment. Its path and query may contain {{userId}}, {{event}}, {{type}} and properties, such as {{properties.plan}}. Or the URL of a mail server with recipients: smtps://mail.example.com/?to=ops@example.com: the email has the subject and text that the transform returns. */
            url: string;
            /** Ignored: see /pause and /resume. Only PUT /import can set it, for example to {"reason": "webhook_gone"}. */
            paused?: any;
            /** Static headers: values by name. Headers that are set by Hookline or by the connection are rejected. The value {"set": true} keeps the stored value. */
            headers?: {
                [key: string]: any;
            };
            /** How requests authenticate: exactly one of basic, bearer, oauth2 (client credentials) and clientCertificate (PEM, for TLS). Secrets are write-only. null or absent: none. */
            auth?: {
                basic?: {
                    user: string;
                    /** {"set": true} keeps the stored value. */
                    password: string | object;
                };
                /** {"set": true} keeps the stored value. */
                bearer?: string | object;
                oauth2?: {
                    /** The URL of the token endpoint. */
                    tokenUrl: string;
                    clientId: string;
                    /** {"set": true} keeps the stored value. */
                    clientSecret: string | object;
                    /** Scopes, separated by spaces. */
                    scope?: string;
                    /** The API that the token is for, if the token endpoint requires audience. */
                    audience?: string;
                    /** The API that the token is for, if the token endpoint requires resource (RFC 8707). */
                    resource?: string;
                };
                clientCertificate?: {
                    /** {"set": true} keeps the stored value. */
                    certificate: string | object;
                    /** {"set": true} keeps the stored value. */
                    key: string | object;
                };
            } | null;
            /** Limits of this webhook, such as {"perSecond": 20, "timeout": "20s"}, instead of the service's settings. null or absent: none. */
            limits?: object | null;
            /** The key that signs requests to this webhook. null or absent: sharedSecret. {"set": true} keeps the stored secret. */
            secret?: string | null | object;
        }[];
        /** Shorthand for webhooks: one URL without headers. */
        webhookUrl?: string;
        /** The key that signs requests to webhooks without their own secret; null for none. {"set": true} keeps the stored key. */
        sharedSecret?: string | null | object;
        /** What signs requests. secret: the secrets. ed25519: a key pair that Hookline generates, so that receivers need only its public key. both: the secrets and the key pair. */
        signature?: "secret" | "ed25519" | "both";
        /** The key pairs from an export with secrets, which replace the stored ones. Ignored without private keys. */
        signingKeys?: any;
        /** any: a delivery succeeds when one webhook has accepted it. each: when every webhook has accepted it. */
        successPolicy?: "any" | "each";
        /** Which events the destination receives: {"event": "Order *"}, {"type": "identify"} or {"where": [{"property": "revenue", "op": ">=", "value": 100}]}, combined with and, or and not. null or absent: all events. */
        filter?: object | null;
        /** The share of the selected events that the destination receives, from 0 to 1: {"rate": 0.1, "by": "userId"}. null or absent: all of them. */
        sample?: object | null;
        /** Which fields of the payload the destination receives: {"drop": ["context.ip"]} or {"keep": ["properties.revenue"]}, and {"hash": [{"path": "traits.email", "normalize": "email"}]}. salt, the key of the hashes, is a secret: random if absent, and {"set": true} keeps the stored one. If fields is null or absent, the destination receives all fields. */
        fields?: object | null;
        /** hookline: the payload. full: the whole event, with receivedAt, sentAt, integrations and unknown fields. standard and cloudevents: Standard Webhooks or CloudEvents 1.0, with the payload in data. null or absent: hookline. */
        format?: ("hookline" | "full" | "standard" | "cloudevents" | null) | ("hookline" | "full" | "standard" | "cloudevents" | null);
        /** A JSONata expression that builds the body of each request from the payload: {"text": "…"}. If it returns nothing, nothing is sent. null or absent: the payload itself. */
        transform?: string | null;
        /** The HTTP method of requests. null or absent: POST. */
        method?: ("POST" | "PUT" | "PATCH" | null) | ("POST" | "PUT" | "PATCH" | null);
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
            /** The id of the source whose events the destination receives. */
            sourceId: string;
            /** Always Webhooks. */
            "type": "Webhooks";
            /** A string of 1 to 200 characters, not only spaces. */
            name: string;
            /** Events that arrive while enabled is false are not delivered. */
            enabled: boolean;
            /** When the destination was created, or last enabled or disabled. null if unknown. */
            enabledChangedAt: string | null;
            /** When and why the pause began; null if deliveries are not held. */
            paused: {
                /** ISO 8601, UTC. */
                since: string;
                /** webhook_gone: the receiver responded with 410 three times in a row, at least a minute apart. url_forbidden: allowedNetworks or allowedPorts does not allow the webhook's address or port; the webhook is tried again each time Hookline starts. disabled_by_receiver: a response had the header webhook-delivery: disable. */
                reason: "operator" | "webhook_gone" | "url_forbidden" | "disabled_by_receiver";
            } | null;
            settings: {
                sharedSecret: {
                    "set": boolean;
                    last4?: string;
                    /** Until then, webhook-signature also has a signature from the previous secret. */
                    previousUntil?: string;
                };
                /** What signs requests. secret: the secrets. ed25519: a key pair that Hookline generates, so that receivers need only its public key. both: the secrets and the key pair. */
                signature: "secret" | "ed25519" | "both";
                /** The Ed25519 key pairs, oldest first. Absent if there have never been any. */
                signingKeys?: {
                    /** whpk_ and the key in base64 (Standard Webhooks). */
                    publicKey: string;
                    /** null if the key has signed from the start. */
                    signsFrom: string | null;
                    /** null while the key has no successor. */
                    signsUntil: string | null;
                }[];
                webhooks: {
                    /** An http or https URL without credentials or a fragment. Its path and query may contain {{userId}}, {{event}}, {{type}} and properties, such as {{properties.plan}}. Or the URL of a mail server with recipients: smtps://mail.example.com/?to=ops@example.com: the email has the subject and text that the transform returns. */
                    url: string;
                    headers: {
                        [key: string]: {
                            "set": true;
                        };
                    };
                    auth?: {
                        basic?: {
                            user: string;
                            password: {
                                "set": true;
                            };
                        };
                        bearer?: {
                            "set": true;
                        };
                        oauth2?: {
                            tokenUrl: string;
                            clientId: string;
                            clientSecret: {
                                "set": true;
                            };
                            scope?: string;
                            audience?: string;
                            resource?: string;
                        };
                        clientCertificate?: {
                            certificate: {
                                "set": true;
                                subject: string;
                                /** ISO 8601, UTC. */
                                expiresAt: string;
                            };
                            key: {
                                "set": true;
                            };
                        };
                    };
                    /** Limits of this webhook. An absent limit defaults to the service's setting. */
                    limits?: {
                        /** The maximum number of attempts per second, including retries, across all nodes. */
                        perSecond?: number;
                        /** The maximum number of attempts in flight, across all nodes. It can lower maxConcurrencyPerWebhook, but not raise it. */
                        concurrency?: number;
                        /** Overrides attemptTimeout: from 100ms to 30s. */
                        timeout?: string;
                        /** Overrides retryWindow: at most 7d, and shorter than retention. 0s: no retries. */
                        retryWindow?: string;
                        /** Overrides retrySchedule: the delays after the first, second, … attempt, from 1s to 24h. The last one repeats. */
                        retrySchedule?: string[];
                        /** Statuses that are retried, although they usually end the delivery, such as 409. 410 is not allowed. */
                        retryOn?: number[];
                    };
                    secret?: {
                        "set": boolean;
                        last4?: string;
                        /** Until then, webhook-signature also has a signature from the previous secret. */
                        previousUntil?: string;
                    };
                    /** When and why the pause began; null if deliveries are not held. */
                    paused: {
                        /** ISO 8601, UTC. */
                        since: string;
                        /** webhook_gone: the receiver responded with 410 three times in a row, at least a minute apart. url_forbidden: allowedNetworks or allowedPorts does not allow the webhook's address or port; the webhook is tried again each time Hookline starts. disabled_by_receiver: a response had the header webhook-delivery: disable. */
                        reason: "operator" | "webhook_gone" | "url_forbidden" | "disabled_by_receiver";
                    } | null;
                }[];
                /** any: a delivery succeeds when one webhook has accepted it. each: when every webhook has accepted it. */
                successPolicy: "any" | "each";
                /** Which events the destination receives: {"event": "Order *"}, {"type": "identify"} or {"where": [{"property": "revenue", "op": ">=", "value": 100}]}, combined with and, or and not. null or absent: all events. */
                filter?: object | null;
                /** The share of the selected events that the destination receives, from 0 to 1: {"rate": 0.1, "by": "userId"}. null or absent: all of them. */
                sample?: object | null;
                /** Which fields of the payload the destination receives: {"drop": ["context.ip"]} or {"keep": ["properties.revenue"]}, and {"hash": [{"path": "traits.email", "normalize": "email"}]}. salt, the key of the hashes, is a secret: random if absent, and {"set": true} keeps the stored one. If fields is null or absent, the destination receives all fields. */
                fields?: object | null;
                /** hookline: the payload. full: the whole event, with receivedAt, sentAt, integrations and unknown fields. standard and cloudevents: Standard Webhooks or CloudEvents 1.0, with the payload in data. null or absent: hookline. */
                format?: ("hookline" | "full" | "standard" | "cloudevents" | null) | ("hookline" | "full" | "standard" | "cloudevents" | null);
                /** A JSONata expression that builds the body of each request from the payload: {"text": "…"}. If it returns nothing, nothing is sent. null or absent: the payload itself. */
                transform?: string | null;
                /** The HTTP method of requests. null or absent: POST. */
                method?: ("POST" | "PUT" | "PATCH" | null) | ("POST" | "PUT" | "PATCH" | null);
            };
            /** ISO 8601, UTC. */
            createdAt: string;
            /** ISO 8601, UTC. */
            updatedAt: string;
            /** The version, which is also in the ETag. */
            version: number;
            /** Warnings about webhooks that cannot receive requests or will soon be unable to, about short secrets, and about long retry windows. certificate_expired and certificate_expires: the client certificate has expired, or expires within 30 days. address_forbidden: the allowedNetworks setting does not allow the address. name_unresolved: the name has no address; names are looked up when a destination is created, changed, imported or tested. short_secret: a secret has fewer than 24 bytes. retry_window_too_long: retryWindow is not shorter than the retention setting. */
            warnings?: {
                /** A JSON Pointer into the body or the parameters. */
                pointer: string;
                code: string;
                message: string;
                hint: string;
            }[];
            health: {
                webhooks: {
                    url: string;
                    /** closed: attempts are made. open: no attempt is made. half_open: single attempts probe whether the webhook has recovered. */
                    breaker: "closed" | "open" | "half_open";
                    /** ISO 8601, UTC. */
                    brokenSince: string | null;
                    /** ISO 8601, UTC. */
                    openUntil: string | null;
                    /** The end of the delay that the receiver requested with Retry-After, or that follows a failed request for an access token. */
                    retryAfterUntil: string | null;
                    /** The current limit on attempts per second, after 429, 502 or 503 responses. */
                    pacePerSecond: number | null;
                    /** Pending deliveries: see GET /deliveries?waiting=true. */
                    pending: number;
                    /** Deliveries held until the destination is resumed. */
                    held: number;
                    /** ISO 8601, UTC. */
                    oldestPendingAt: string | null;
                }[];
                /** Deliveries in the state pending. */
                pending: number;
                /** Deliveries held until the destination is resumed. */
                held: number;
                /** ISO 8601, UTC. */
                oldestPendingAt: string | null;
                oldestPendingAgeMs: number | null;
                lastHour: {
                    attempts: number;
                    delivered: number;
                    /** 0 to 1; null without attempts. */
                    successRate: number | null;
                    /** When the last failed attempt was made. */
                    lastFailedAt: string | null;
                };
                /** From receipt to delivery, in the last hour. */
                p95LatencyMs: number | null;
            };
            /** The limits that apply to each webhook. */
            effectiveLimits: {
                url: string;
                perSecond: {
                    /** The value, in the same format as in limits. null: no limit; for retrySchedule: exponential backoff. */
                    value: number | string | any[] | null;
                    /** webhook: limits of the webhook. service: settings of the service. */
                    origin: "webhook" | "service";
                    /** The name of the setting; null for the webhook's own limit, or if no setting exists. */
                    setting: string | null;
                };
                concurrency: {
                    /** The value, in the same format as in limits. null: no limit; for retrySchedule: exponential backoff. */
                    value: number | string | any[] | null;
                    /** webhook: limits of the webhook. service: settings of the service. */
                    origin: "webhook" | "service";
                    /** The name of the setting; null for the webhook's own limit, or if no setting exists. */
                    setting: string | null;
                };
                timeout: {
                    /** The value, in the same format as in limits. null: no limit; for retrySchedule: exponential backoff. */
                    value: number | string | any[] | null;
                    /** webhook: limits of the webhook. service: settings of the service. */
                    origin: "webhook" | "service";
                    /** The name of the setting; null for the webhook's own limit, or if no setting exists. */
                    setting: string | null;
                };
                retryWindow: {
                    /** The value, in the same format as in limits. null: no limit; for retrySchedule: exponential backoff. */
                    value: number | string | any[] | null;
                    /** webhook: limits of the webhook. service: settings of the service. */
                    origin: "webhook" | "service";
                    /** The name of the setting; null for the webhook's own limit, or if no setting exists. */
                    setting: string | null;
                };
                retrySchedule: {
                    /** The value, in the same format as in limits. null: no limit; for retrySchedule: exponential backoff. */
                    value: number | string | any[] | null;
                    /** webhook: limits of the webhook. service: settings of the service. */
                    origin: "webhook" | "service";
                    /** The name of the setting; null for the webhook's own limit, or if no setting exists. */
                    setting: string | null;
                };
                retryOn: {
                    /** The value, in the same format as in limits. null: no limit; for retrySchedule: exponential backoff. */
                    value: number | string | any[] | null;
                    /** webhook: limits of the webhook. service: settings of the service. */
                    origin: "webhook" | "service";
                    /** The name of the setting; null for the webhook's own limit, or if no setting exists. */
                    setting: string | null;
                };
            }[];
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/destinations/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Deletes a destination
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
 * Changes a destination
 */
export function changeDestination(id: string, body: {
    /** A string of 1 to 200 characters, not only spaces. */
    name?: string;
    /** Events that arrive while enabled is false are not delivered. */
    enabled?: boolean;
    settings?: {
        webhooks?: {
            /** An http or https URL without credentials or a fragment. Its path and query may contain {{userId}}, {{event}}, {{type}} and properties, such as {{properties.plan}}. Or the URL of a mail server with recipients: smtps://mail.example.com/?to=ops@example.com: the email has the subject and text that the transform returns. */
            url: string;
            /** Ignored: see /pause and /resume. Only PUT /import can set it, for example to {"reason": "webhook_gone"}. */
            paused?: any;
            /** Static headers: values by name. Headers that are set by Hookline or by the connection are rejected. The value {"set": true} keeps the stored value. */
            headers?: {
                [key: string]: any;
            };
            /** How requests authenticate: exactly one of basic, bearer, oauth2 (client credentials) and clientCertificate (PEM, for TLS). Secrets are write-only. null or absent: none. */
            auth?: {
                basic?: {
                    user: string;
                    /** {"set": true} keeps the stored value. */
                    password: string | object;
                };
                /** {"set": true} keeps the stored value. */
                bearer?: string | object;
                oauth2?: {
                    /** The URL of the token endpoint. */
                    tokenUrl: string;
                    clientId: string;
                    /** {"set": true} keeps the stored value. */
                    clientSecret: string | object;
                    /** Scopes, separated by spaces. */
                    scope?: string;
                    /** The API that the token is for, if the token endpoint requires audience. */
                    audience?: string;
                    /** The API that the token is for, if the token endpoint requires resource (RFC 8707). */
                    resource?: string;
                };
                clientCertificate?: {
                    /** {"set": true} keeps the stored value. */
                    certificate: string | object;
                    /** {"set": true} keeps the stored value. */
                    key: string | object;
                };
            } | null;
            /** Limits of this webhook, such as {"perSecond": 20, "timeout": "20s"}, instead of the service's settings. null or absent: none. */
            limits?: object | null;
            /** The key that signs requests to this webhook. null or absent: sharedSecret. {"set": true} keeps the stored secret. */
            secret?: string | null | object;
        }[];
        /** Shorthand for webhooks: one URL without headers. */
        webhookUrl?: string;
        /** The key that signs requests to webhooks without their own secret; null for none. {"set": true} keeps the stored key. */
        sharedSecret?: string | null | object;
        /** What signs requests. secret: the secrets. ed25519: a key pair that Hookline generates, so that receivers need only its public key. both: the secrets and the key pair. */
        signature?: "secret" | "ed25519" | "both";
        /** The key pairs from an export with secrets, which replace the stored ones. Ignored without private keys. */
        signingKeys?: any;
        /** any: a delivery succeeds when one webhook has accepted it. each: when every webhook has accepted it. */
        successPolicy?: "any" | "each";
        /** Which events the destination receives: {"event": "Order *"}, {"type": "identify"} or {"where": [{"property": "revenue", "op": ">=", "value": 100}]}, combined with and, or and not. null or absent: all events. */
        filter?: object | null;
        /** The share of the selected events that the destination receives, from 0 to 1: {"rate": 0.1, "by": "userId"}. null or absent: all of them. */
        sample?: object | null;
        /** Which fields of the payload the destination receives: {"drop": ["context.ip"]} or {"keep": ["properties.revenue"]}, and {"hash": [{"path": "traits.email", "normalize": "email"}]}. salt, the key of the hashes, is a secret: random if absent, and {"set": true} keeps the stored one. If fields is null or absent, the destination receives all fields. */
        fields?: object | null;
        /** hookline: the payload. full: the whole event, with receivedAt, sentAt, integrations and unknown fields. standard and cloudevents: Standard Webhooks or CloudEvents 1.0, with the payload in data. null or absent: hookline. */
        format?: ("hookline" | "full" | "standard" | "cloudevents" | null) | ("hookline" | "full" | "standard" | "cloudevents" | null);
        /** A JSONata expression that builds the body of each request from the payload: {"text": "…"}. If it returns nothing, nothing is sent. null or absent: the payload itself. */
        transform?: string | null;
        /** The HTTP method of requests. null or absent: POST. */
        method?: ("POST" | "PUT" | "PATCH" | null) | ("POST" | "PUT" | "PATCH" | null);
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
 * Closes the breakers of a destination
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
 * Replaces a secret, with an overlap
 */
export function rotateSecret(id: string, body: {
    /** The new secret: a string of 1 to 1,024 characters. */
    secret: string;
    /** The URL of a webhook: the secret becomes its webhook secret. If absent, it replaces the shared secret. */
    url?: string;
    /** How long requests are signed with both secrets: 0 to 168 hours; 24 if absent. */
    overlapHours?: number;
    /** true: rotates even if the last rotation has not ended. The secret or key that it was replacing, or a new key that does not sign yet, is dropped immediately. Use it if a secret or key may have leaked. */
    force?: boolean;
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
 * Generates the next Ed25519 key pair
 */
export function rotateSigningKey(id: string, body: {
    /** How long the new public key is published before its key pair signs: 0 to 168 hours; 24 if absent. */
    leadHours?: number;
    /** How long both keys sign: 0 to 168 hours; 24 if absent. */
    overlapHours?: number;
    /** true: rotates even if the last rotation has not ended. The secret or key that it was replacing, or a new key that does not sign yet, is dropped immediately. Use it if a secret or key may have leaked. */
    force?: boolean;
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
    }>(`/api/v1/destinations/${encodeURIComponent(id)}/rotate-signing-key`, oazapfts.json({
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
 * Sends a test delivery and returns the result
 */
export function testDestination(id: string, body: {
    /** A sample of this type: identify, track, page, screen, group, alias, delete. */
    "type"?: "identify" | "track" | "page" | "screen" | "group" | "alias" | "delete";
    /** The id of an event from the destination's source. */
    eventId?: string;
    /** true: only shows the requests, and sends nothing. */
    dryRun?: boolean;
    /** With dryRun, a transform to try instead of the one in the settings. */
    transform?: string;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            dryRun: boolean;
            /** The webhook-id. */
            deliveryId: string;
            /** The stored payload. */
            stored: string;
            /** The payload after fields and format, before the transform. */
            formatted: string;
            /** With a transform, the paths of up to 20 numbers in the formatted payload that JavaScript cannot represent exactly: the transform gets them as text. Absent if there are none. */
            precisionLost?: string[];
            webhooks: {
                url: string;
                request: {
                    /** The HTTP method. */
                    method: "POST" | "PUT" | "PATCH";
                    /** The URL of the webhook, with its placeholders filled in. */
                    url: string;
                    /** In order, with the values of static headers hidden. */
                    headers: {
                        [key: string]: string;
                    };
                    /** The exact body. */
                    body: string;
                } | null;
                signature: {
                    /** null if no secret signs the request. */
                    xSignature: string | null;
                    /** null if neither a secret nor a key signs the request. */
                    webhookSignature: string | null;
                };
                attempt: {
                    /** ISO 8601, UTC. */
                    startedAt: string;
                    durationMs: number;
                    /** The duration of each phase; absent if skipped or not reached. */
                    timing: {
                        /** The DNS lookup. */
                        lookupMs?: number;
                        connectMs?: number;
                        tlsMs?: number;
                        /** From sending the request to the last header. */
                        responseMs?: number;
                        /** Reading the body, at most 64 KiB or 1 s. Not included in durationMs; absent below 1 ms. */
                        transferMs?: number;
                    };
                    outcome: "delivered" | "retry" | "rejected" | "declined";
                    /** delivered, or the class of the error: see docs/reference/errors.md. */
                    "class": string;
                    status?: number;
                    /** The error as text. */
                    error?: string;
                    /** The delay from Retry-After. */
                    retryAfterMs?: number;
                    headers?: {
                        [key: string]: string;
                    };
                    /** The beginning of the response body. */
                    body?: string;
                } | null;
            }[];
            /** Warnings about webhooks that cannot receive requests or will soon be unable to, about short secrets, and about long retry windows. certificate_expired and certificate_expires: the client certificate has expired, or expires within 30 days. address_forbidden: the allowedNetworks setting does not allow the address. name_unresolved: the name has no address; names are looked up when a destination is created, changed, imported or tested. short_secret: a secret has fewer than 24 bytes. retry_window_too_long: retryWindow is not shorter than the retention setting. */
            warnings?: {
                /** A JSON Pointer into the body or the parameters. */
                pointer: string;
                code: string;
                message: string;
                hint: string;
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
 * Shows which recent events a filter selects
 */
export function previewFilter(id: string, body: {
    /** As in settings.filter. The current filter if absent. */
    filter?: object;
    /** How many events to examine: 1 to 1000; 1000 if absent. */
    last?: number;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The number of events examined. */
            examined: number;
            /** How many of the examined events the filter selects. */
            selected: number;
            /** The 50 most frequent types and names. Names are cut to 200 characters. */
            byName: {
                "type": string;
                /** The name of a track event. */
                event: string | null;
                examined: number;
                selected: number;
            }[];
            /** The latest 5 events that the filter selects. */
            selectedExamples: {
                id: string;
                "type": string;
                /** The name of a track event. */
                event: string | null;
                /** ISO 8601, UTC. */
                receivedAt: string;
            }[];
            /** The latest 5 events that the filter excludes. */
            excludedExamples: {
                id: string;
                "type": string;
                /** The name of a track event. */
                event: string | null;
                /** ISO 8601, UTC. */
                receivedAt: string;
                /** The failed clauses: their JSON Pointers, and the event's values. */
                reasons: string[];
            }[];
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/destinations/${encodeURIComponent(id)}/filter-preview`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Lists events, newest first
 */
export function listEvents({ limit, cursor, sourceId, messageId, $type, userId, anonymousId, event, outcome, text, $from, to }: {
    limit?: number;
    cursor?: string;
    sourceId?: string;
    messageId?: string;
    $type?: "identify" | "track" | "page" | "screen" | "group" | "alias";
    userId?: string;
    anonymousId?: string;
    event?: string;
    outcome?: "failed" | "retrying" | "held" | "pending" | "declined" | "delivered";
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
            /** With userId or anonymousId: the suppressions of this user, newest first, at most 100. */
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
        outcome,
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
            /** Warnings about the call. */
            warnings: ("precision_lost" | "characters_lost" | "timestamp_unreadable")[];
            /** The number of later calls with this messageId, which were dropped. */
            duplicates: number;
            /** When the last duplicate arrived. */
            lastDuplicateAt: string | null;
            source: {
                id: string;
                /** null if the source was deleted. */
                name: string | null;
            };
            /** The id of its distributed trace (OpenTelemetry, W3C); null if it has none. */
            traceId: string | null;
            /** Link to the distributed trace; null if traceUrl is not set or the trace was not sampled. */
            traceUrl: string | null;
            /** Notes about the event itself, not about a destination. */
            findings: {
                code: "no_destination" | "source_removed" | "duplicates";
                message: string;
                remedy: string;
            }[];
            decisions: {
                destinationId: string;
                /** pending: not decided yet. none: the destination did not exist yet. */
                decision: "deliver" | "declined" | "pending" | "none";
                /** The code of the reason not to deliver. */
                reason: string | null;
                /** When the destination was disabled; null if unknown. */
                since: string | null;
                /** The decision and its outcome as text. */
                explanation: string;
                /** What to do; null if there is nothing to do. */
                remedy: string | null;
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
 * Lists possible reasons for a missing event
 */
export function explainMissingEvent({ messageId, eventId, userId, anonymousId, sourceId }: {
    messageId?: string;
    eventId?: string;
    userId?: string;
    anonymousId?: string;
    sourceId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            causes: {
                code: "event_exists" | "other_source" | "unknown_source" | "suppressed" | "deleted" | "expired" | "source_disabled" | "source_silent" | "rejected" | "users_suppressed" | "deletions" | "quarantined" | "not_sent";
                message: string;
                remedy: string;
                /** The data behind the cause. docs/reference/errors.md explains each code. */
                evidence: {
                    count?: number;
                    /** ISO 8601, UTC. */
                    since?: string;
                    /** ISO 8601, UTC. */
                    lastAt?: string;
                    /** A code from the ingestion API. */
                    code?: string;
                    eventId?: string;
                    sourceId?: string;
                    deletionId?: string;
                };
            }[];
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/events/why-missing${QS.query(QS.explode({
        messageId,
        eventId,
        userId,
        anonymousId,
        sourceId
    }))}`, {
        ...opts
    });
}
/**
 * Lists the names of received events, by source, type and name
 */
export function listEventNames({ limit, cursor, sourceId, $type }: {
    limit?: number;
    cursor?: string;
    sourceId?: string;
    $type?: "identify" | "track" | "page" | "screen" | "group" | "alias";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: EventName[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/event-names${QS.query(QS.explode({
        limit,
        cursor,
        sourceId,
        "type": $type
    }))}`, {
        ...opts
    });
}
/**
 * Groups failed deliveries by destination and error
 */
export function listFailures({ destinationId }: {
    destinationId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: {
                destinationId: string;
                /** The class of the last attempt, or not_attempted or quarantined. */
                "class": string;
                /** null if there was no response. */
                status: number | null;
                /** Deliveries that failed in this way and have not succeeded since. */
                count: number;
                /** false if there may be more, because only the newest 2,000 failures at the destination were counted. */
                isComplete: boolean;
                /** When the event of the oldest of these deliveries was received. */
                firstSeenAt: string;
                /** When the newest of them was last attempted or quarantined, or became due. */
                lastSeenAt: string;
                /** The newest of these deliveries with a stored response; the newest one if none has a response. */
                sampleDeliveryId: string;
                /** The last error of the sample delivery, or why it is quarantined. */
                lastError: string | null;
                /** The meaning of the class. */
                meaning: string;
                /** What to do about the failures. */
                remedy: string;
            }[];
            /** false if only the newest 2,000 failures at a destination were counted. */
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
    state?: "pending" | "delivered" | "declined" | "rejected" | "expired" | "held" | "quarantined";
    waiting?: "true" | "false";
    eventId?: string;
    $class?: "delivered" | "http_5xx" | "http_throttled" | "http_4xx" | "redirect" | "timeout" | "connection_failed" | "dns_failed" | "proxy_failed" | "auth_failed" | "mail_refused" | "protocol_error" | "certificate_invalid" | "address_forbidden" | "port_forbidden" | "request_invalid" | "transform_failed" | "transform_declined" | "internal_error" | "not_attempted" | "quarantined";
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
 * Shows the next requests for a delivery
 */
export function getDeliveryRequests(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            deliveryId: string;
            webhooks: {
                url: string;
                request: {
                    /** The HTTP method. */
                    method: "POST" | "PUT" | "PATCH";
                    /** The URL of the webhook, with its placeholders filled in. */
                    url: string;
                    /** In order, with the values of static headers hidden. */
                    headers: {
                        [key: string]: string;
                    };
                    /** The exact body. */
                    body: string;
                };
                /** A command for sh, with placeholders for the values of static headers, Authorization and client certificates. The signature is valid for a few minutes. */
                curl: string;
            }[];
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/deliveries/${encodeURIComponent(id)}/requests`, {
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
    /** Only events received at this time or later. In ISO 8601, like 2026-11-21T09:30:00Z. */
    "from"?: string;
    /** Only events received before this time; now if absent. In ISO 8601, like 2026-11-21T09:30:00Z. */
    to?: string;
    /** Only events of these types: identify, track, page, screen, group, alias. */
    types?: ("identify" | "track" | "page" | "screen" | "group" | "alias")[];
    /** Only events that contain this text of 1 to 1,024 characters, ignoring case. */
    text?: string;
    /** true: includes events that were not delivered because the destination was disabled, or because of its filter, sample or transform. They are sent if the destination's current filter and sample select them. */
    includeDeclined?: boolean;
    /** The maximum number of deliveries per second, at least 1; no limit if absent. */
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
            /** Deliveries that a replay would send again. */
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
    /** 1 to 5000 userIds, none of them empty. */
    userIds?: string[];
    /** 1 to 5000 anonymousIds, none of them empty. Every event with one of them is removed, regardless of its userId. At most 5000 ids in total. */
    anonymousIds?: string[];
    /** The ids of sources. If absent: every source, including deleted ones. */
    sourceIds?: string[];
    /** true: new events from these users are not stored. */
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
            /** finished: done, and every receiver was notified. partial: done, but some notices failed. */
            state: "queued" | "running" | "finished" | "partial";
            /** The number of userIds. */
            users: number;
            /** The number of anonymousIds. */
            anonymousUsers: number;
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
                /** How many of the removed events had no userId. */
                anonymousEvents: number;
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
            anonymousIds: string[];
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
 * Lists the notices for a deletion with their attempts
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
export function listSuppressions({ limit, cursor, userId, anonymousId }: {
    limit?: number;
    cursor?: string;
    userId?: string;
    anonymousId?: string;
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
        userId,
        anonymousId
    }))}`, {
        ...opts
    });
}
/**
 * Ends the suppression of a userId or an anonymousId, in every source
 */
export function endSuppression({ userId, anonymousId }: {
    userId?: string;
    anonymousId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/suppressions${QS.query(QS.explode({
        userId,
        anonymousId
    }))}`, {
        ...opts,
        method: "DELETE"
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
 * Creates a token, which is shown only once
 */
export function createToken(body: {
    /** A string of 1 to 200 characters, not only spaces. */
    name: string;
    /** One of viewer, editor, admin. Viewers read, editors also change records, admins also manage tokens and data. */
    role: "viewer" | "editor" | "admin";
    /** When the token expires: a future time in ISO 8601. null or absent for never. */
    expiresAt?: string | null;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: {
            id: string;
            /** A string of 1 to 200 characters, not only spaces. */
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
 * Deletes a token
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
                /** The stored entry is corrupted: some fields are missing. */
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
 * Shows counts over time: received, rejected, declined, delivered, failed, attempts, entered, left, pending, latency
 */
export function getStatistics({ $from, to, step, sourceId, destinationId, by }: {
    $from?: string;
    to?: string;
    step?: "1m" | "5m" | "15m" | "1h" | "6h" | "1d";
    sourceId?: string;
    destinationId?: string;
    by?: "source" | "destination";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** ISO 8601, UTC. */
            "from": string;
            /** ISO 8601, UTC. */
            to: string;
            stepMs: number;
            points: StatisticsPoint[];
            /** With by: the points for each selected source or destination. */
            series?: {
                id: string;
                points: StatisticsPoint[];
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
        destinationId,
        by
    }))}`, {
        ...opts
    });
}
/**
 * Streams activity and changes in real time
 */
export function watch({ topics, lastEventId, kind, sourceId, destinationId, $type, event, userId, lastEventIdHeader }: {
    topics?: string;
    lastEventId?: string;
    kind?: "event" | "decision" | "attempt";
    sourceId?: string;
    destinationId?: string;
    $type?: "identify" | "track" | "page" | "screen" | "group" | "alias";
    event?: string;
    userId?: string;
    lastEventIdHeader?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/live${QS.query(QS.explode({
        topics,
        lastEventId,
        kind,
        sourceId,
        destinationId,
        "type": $type,
        event,
        userId
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "last-event-id": lastEventIdHeader
        })
    });
}
/**
 * Shows the URL of the inspector and its configured response
 */
export function getInspector(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The URL for webhooks. It can have any path. The settings allowedNetworks, allowedPorts and egressProxy do not apply to it. */
            url: string;
            responses: {
                /** 200 to 599; 200 if absent. */
                status: number;
                /** The delay of each response, up to 10000; 0 if absent. By default, an attempt times out after 5 s. */
                delayMs: number;
                /** How many attempts of each delivery get this status, 1 to 1000; later ones get 200. null or absent: all. */
                failFirst: number | null;
            };
            requests: {
                /** Stored requests. */
                stored: number;
                /** The size of the stored requests in bytes: body, path and headers. */
                bytes: number;
                /** Requests since startup. */
                received: number;
            };
            limits: {
                /** The maximum number of requests stored on each node. */
                requests: number;
                /** The maximum number of bytes stored on each node. */
                bytes: number;
                /** The maximum size of a body. A larger one gets 413. */
                bodyBytes: number;
            };
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/inspector", {
        ...opts
    });
}
/**
 * Lists requests, newest first
 */
export function listInspectedRequests({ limit, cursor, destinationId, deliveryId }: {
    limit?: number;
    cursor?: string;
    destinationId?: string;
    deliveryId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: {
                id: string;
                /** ISO 8601, UTC. */
                receivedAt: string;
                method: string;
                /** The path, including the query. */
                path: string;
                /** Bytes of the body. */
                size: number;
                /** The destination that sent the request; null if unknown or ambiguous. */
                destinationId: string | null;
                /** webhook-id: the same on every attempt. */
                deliveryId: string | null;
                /** The number of the attempt, starting at 1. */
                attempt: number | null;
                /** The type field of the body; null if it has none, for example after a transform. */
                "type": string | null;
                /** The name of the event, page or screen. */
                name: string | null;
                userId: string | null;
                anonymousId: string | null;
                messageId: string | null;
                signature: {
                    verdict: "valid" | "invalid" | "missing";
                    /** Why the signature is not valid; null if it is. */
                    reason: string | null;
                    /** The verdict on X-Signature. stale (webhook-signature only): webhook-timestamp is more than five minutes off. unchecked: the sending destination is unknown, or has no secret or key that verifies it. */
                    xSignature: "valid" | "invalid" | "stale" | "missing" | "unchecked";
                    /** The verdict on webhook-signature. stale (webhook-signature only): webhook-timestamp is more than five minutes off. unchecked: the sending destination is unknown, or has no secret or key that verifies it. */
                    webhookSignature: "valid" | "invalid" | "stale" | "missing" | "unchecked";
                };
                response: {
                    status: number;
                    delayMs: number;
                    /** false while the response is delayed, or if the connection was closed first. */
                    sent: boolean;
                };
            }[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/inspector/requests${QS.query(QS.explode({
        limit,
        cursor,
        destinationId,
        deliveryId
    }))}`, {
        ...opts
    });
}
/**
 * Deletes all stored requests
 */
export function clearInspector(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            removed: number;
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/inspector/requests", {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Shows a request
 */
export function getInspectedRequest(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            id: string;
            /** ISO 8601, UTC. */
            receivedAt: string;
            method: string;
            /** The path, including the query. */
            path: string;
            /** Bytes of the body. */
            size: number;
            /** The destination that sent the request; null if unknown or ambiguous. */
            destinationId: string | null;
            /** webhook-id: the same on every attempt. */
            deliveryId: string | null;
            /** The number of the attempt, starting at 1. */
            attempt: number | null;
            /** The type field of the body; null if it has none, for example after a transform. */
            "type": string | null;
            /** The name of the event, page or screen. */
            name: string | null;
            userId: string | null;
            anonymousId: string | null;
            messageId: string | null;
            signature: {
                verdict: "valid" | "invalid" | "missing";
                /** Why the signature is not valid; null if it is. */
                reason: string | null;
                /** The verdict on X-Signature. stale (webhook-signature only): webhook-timestamp is more than five minutes off. unchecked: the sending destination is unknown, or has no secret or key that verifies it. */
                xSignature: "valid" | "invalid" | "stale" | "missing" | "unchecked";
                /** The verdict on webhook-signature. stale (webhook-signature only): webhook-timestamp is more than five minutes off. unchecked: the sending destination is unknown, or has no secret or key that verifies it. */
                webhookSignature: "valid" | "invalid" | "stale" | "missing" | "unchecked";
            };
            response: {
                status: number;
                delayMs: number;
                /** false while the response is delayed, or if the connection was closed first. */
                sent: boolean;
            };
            /** In order. The values of static headers, and for viewers also the signatures, are replaced with [hidden]. */
            headers: {
                name: string;
                value: string;
            }[];
            /** The body as text. */
            body: string;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/inspector/requests/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Sets the response
 */
export function changeInspectorResponses(body: {
    /** 200 to 599; 200 if absent. */
    status?: number;
    /** The delay of each response, up to 10000; 0 if absent. By default, an attempt times out after 5 s. */
    delayMs?: number;
    /** How many attempts of each delivery get this status, 1 to 1000; later ones get 200. null or absent: all. */
    failFirst?: number | null;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** 200 to 599; 200 if absent. */
            status: number;
            /** The delay of each response, up to 10000; 0 if absent. By default, an attempt times out after 5 s. */
            delayMs: number;
            /** How many attempts of each delivery get this status, 1 to 1000; later ones get 200. null or absent: all. */
            failFirst: number | null;
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/inspector/responses", oazapfts.json({
        ...opts,
        method: "PUT",
        body
    }));
}
/**
 * Lists audiences, oldest first
 */
export function listAudiences({ limit, cursor, space }: {
    limit?: number;
    cursor?: string;
    space?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Audience[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/audiences${QS.query(QS.explode({
        limit,
        cursor,
        space
    }))}`, {
        ...opts
    });
}
/**
 * Creates an audience, and sends its value for each user who has one
 */
export function createAudience(body: {
    /** A string of 1 to 200 characters, not only spaces. */
    name: string;
    /** The space whose profiles are evaluated; default if absent. 1 to 50 of the characters a-z, 0-9, _ and -. */
    space?: string;
    /** Ids of at most 50 destinations that get changes. They may belong to any source except src_hookline. */
    destinationIds: string[];
    /** Who belongs to the audience: {"and": […]}, {"or": […]}, {"not": …}, or a clause. Clauses: {"trait": "plan", "op": "equals", "value": "pro"}; {"event": "Order Completed", "count": {"op": ">=", "n": 2}, "within": {"days": 30}, "where": [{"property": "revenue", "op": ">", "value": 50}]}, with "between": [from, to] instead of within, or "type": "page" and "name" instead of event; {"computedTrait": "orders_30d", "op": ">", "value": 3}; {"audience": "aud_…"}. */
    condition?: {
        [key: string]: any;
    };
    /** true: instead of a condition, the audience has a list of members, which PUT /audiences/:id/members changes. */
    manual?: true;
    /** true or false. While false, nothing is computed or sent. true if absent. */
    enabled?: boolean;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Audience;
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/audiences", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Shows an audience, with its state, its size and its last sync
 */
export function getAudience(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Audience;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/audiences/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Changes an audience
 */
export function changeAudience(id: string, body: {
    /** A string of 1 to 200 characters, not only spaces. */
    name?: string;
    /** Ids of at most 50 destinations that get changes. They may belong to any source except src_hookline. */
    destinationIds?: string[];
    /** Who belongs to the audience: {"and": […]}, {"or": […]}, {"not": …}, or a clause. Clauses: {"trait": "plan", "op": "equals", "value": "pro"}; {"event": "Order Completed", "count": {"op": ">=", "n": 2}, "within": {"days": 30}, "where": [{"property": "revenue", "op": ">", "value": 50}]}, with "between": [from, to] instead of within, or "type": "page" and "name" instead of event; {"computedTrait": "orders_30d", "op": ">", "value": 3}; {"audience": "aud_…"}. */
    condition?: {
        [key: string]: any;
    };
    /** true or false. While false, nothing is computed or sent. */
    enabled?: boolean;
}, { ifMatch }: {
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Audience;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/audiences/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    }));
}
/**
 * Deletes an audience
 */
export function removeAudience(id: string, { announce, ifMatch }: {
    announce?: "true" | "false";
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: Sync;
    } | {
        status: 204;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/audiences/${encodeURIComponent(id)}${QS.query(QS.explode({
        announce
    }))}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    });
}
/**
 * Starts a full sync of an audience
 */
export function syncAudience(id: string, body: {}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: Sync;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/audiences/${encodeURIComponent(id)}/sync`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Lists the syncs of an audience, newest first
 */
export function listAudienceSyncs(id: string, { limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Sync[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/audiences/${encodeURIComponent(id)}/syncs${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Shows how many users would have a value
 */
export function previewAudience(body: {
    /** The space; default if absent. 1 to 50 of the characters a-z, 0-9, _ and -. */
    space?: string;
    /** Who belongs to the audience: {"and": […]}, {"or": […]}, {"not": …}, or a clause. Clauses: {"trait": "plan", "op": "equals", "value": "pro"}; {"event": "Order Completed", "count": {"op": ">=", "n": 2}, "within": {"days": 30}, "where": [{"property": "revenue", "op": ">", "value": 50}]}, with "between": [from, to] instead of within, or "type": "page" and "name" instead of event; {"computedTrait": "orders_30d", "op": ">", "value": 3}; {"audience": "aud_…"}. */
    condition: {
        [key: string]: any;
    };
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The number of profiles that would have a value. */
            size: number;
            /** false if size is an estimate: there are more than 100,000 profiles, or some stored events are not yet in profiles (try again later). */
            isExact: boolean;
            sample: {
                /** null until an event of the profile has a userId. */
                userId: string | null;
                /** true for a member of an audience. */
                value: any;
            }[];
            /** Events received since this time are counted; older ones were no longer stored when counting began. null if no events are counted. */
            reachesBackTo: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/audiences/preview", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Explains a user's value
 */
export function explainAudience(userId: string, id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            userId: string;
            /** true for a member of an audience; null without a value. */
            value: any;
            /** When the stored value was set; null if none is stored yet. */
            since: string | null;
            /** When the result can next change without a new event. null: only an event can change it. */
            changesAt: string | null;
            /** For an audience: the condition, then its parts. */
            condition?: {
                /** A JSON Pointer into the condition. */
                pointer: string;
                kind: "and" | "or" | "not" | "clause";
                holds: boolean;
                /** When the result can next change without a new event. null: only an event can change it. */
                changesAt: string | null;
                /** The clause, as it appears in the condition. */
                clause?: {
                    [key: string]: any;
                };
                /** The actual result for the user: {"value": …}, with null for a missing value; {"count": 3, "orMore": false}, with orMore: true if there may be more events, because only the newest are stored; or {"member": true}. */
                actual?: {
                    [key: string]: any;
                };
            }[];
            /** For a computed trait: the number of events from which it is computed. */
            events?: number;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/audiences/${encodeURIComponent(id)}/explain${QS.query(QS.explode({
        userId
    }))}`, {
        ...opts
    });
}
/**
 * Lists the members of an audience
 */
export function listMembers(id: string, { limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: {
                /** null until an event of the profile has a userId. */
                userId: string | null;
                /** ISO 8601, UTC. */
                since: string;
            }[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/audiences/${encodeURIComponent(id)}/members${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Adds users to and removes users from a manual audience
 */
export function changeMembers(id: string, body: {
    /** 1 to 1,024 characters each, no control characters. */
    add?: string[];
    /** 1 to 1,024 characters each. */
    remove?: string[];
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            added: number;
            removed: number;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/audiences/${encodeURIComponent(id)}/members`, oazapfts.json({
        ...opts,
        method: "PUT",
        body
    }));
}
/**
 * Lists the users in a manual audience
 */
export function listListedUsers(id: string, { limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: {
                userId: string;
            }[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/audiences/${encodeURIComponent(id)}/list${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Lists computed traits, oldest first
 */
export function listTraits({ limit, cursor, space }: {
    limit?: number;
    cursor?: string;
    space?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: ComputedTrait[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/traits${QS.query(QS.explode({
        limit,
        cursor,
        space
    }))}`, {
        ...opts
    });
}
/**
 * Creates a computed trait, and sends its value for each user who has one
 */
export function createTrait(body: {
    /** A string of 1 to 200 characters, not only spaces. */
    name: string;
    /** The space whose profiles are evaluated; default if absent. 1 to 50 of the characters a-z, 0-9, _ and -. */
    space?: string;
    /** Ids of at most 50 destinations that get changes. They may belong to any source except src_hookline. */
    destinationIds: string[];
    /** How the value is computed from the user's events: {"fn": "count|sum|avg|min|max|first|last|most_frequent|unique_list|unique_count", "event": "Order Completed", "property": "revenue", "within": {"days": 30}, "where": [{"property": …, "op": …, "value": …}]}. Every fn except count requires a property. Instead of event: "type": "page" and its "name". Instead of within: "between": [from, to]. */
    compute: {
        [key: string]: any;
    };
    /** true or false. While false, nothing is computed or sent. true if absent. */
    enabled?: boolean;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: ComputedTrait;
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/traits", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Shows a computed trait, with its state, its size and its last sync
 */
export function getTrait(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ComputedTrait;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/traits/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Changes a computed trait
 */
export function changeTrait(id: string, body: {
    /** A string of 1 to 200 characters, not only spaces. */
    name?: string;
    /** Ids of at most 50 destinations that get changes. They may belong to any source except src_hookline. */
    destinationIds?: string[];
    /** How the value is computed from the user's events: {"fn": "count|sum|avg|min|max|first|last|most_frequent|unique_list|unique_count", "event": "Order Completed", "property": "revenue", "within": {"days": 30}, "where": [{"property": …, "op": …, "value": …}]}. Every fn except count requires a property. Instead of event: "type": "page" and its "name". Instead of within: "between": [from, to]. */
    compute?: {
        [key: string]: any;
    };
    /** true or false. While false, nothing is computed or sent. */
    enabled?: boolean;
}, { ifMatch }: {
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ComputedTrait;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/traits/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    }));
}
/**
 * Deletes a computed trait
 */
export function removeTrait(id: string, { announce, ifMatch }: {
    announce?: "true" | "false";
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: Sync;
    } | {
        status: 204;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/traits/${encodeURIComponent(id)}${QS.query(QS.explode({
        announce
    }))}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    });
}
/**
 * Starts a full sync of a computed trait
 */
export function syncTrait(id: string, body: {}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: Sync;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/traits/${encodeURIComponent(id)}/sync`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Lists the syncs of a computed trait, newest first
 */
export function listTraitSyncs(id: string, { limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: Sync[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/traits/${encodeURIComponent(id)}/syncs${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Shows how many users would have a value
 */
export function previewTrait(body: {
    /** The space; default if absent. 1 to 50 of the characters a-z, 0-9, _ and -. */
    space?: string;
    /** How the value is computed from the user's events: {"fn": "count|sum|avg|min|max|first|last|most_frequent|unique_list|unique_count", "event": "Order Completed", "property": "revenue", "within": {"days": 30}, "where": [{"property": …, "op": …, "value": …}]}. Every fn except count requires a property. Instead of event: "type": "page" and its "name". Instead of within: "between": [from, to]. */
    compute: {
        [key: string]: any;
    };
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The number of profiles that would have a value. */
            size: number;
            /** false if size is an estimate: there are more than 100,000 profiles, or some stored events are not yet in profiles (try again later). */
            isExact: boolean;
            sample: {
                /** null until an event of the profile has a userId. */
                userId: string | null;
                /** true for a member of an audience. */
                value: any;
            }[];
            /** Events received since this time are counted; older ones were no longer stored when counting began. null if no events are counted. */
            reachesBackTo: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/traits/preview", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Explains a user's value
 */
export function explainTrait(userId: string, id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            userId: string;
            /** true for a member of an audience; null without a value. */
            value: any;
            /** When the stored value was set; null if none is stored yet. */
            since: string | null;
            /** When the result can next change without a new event. null: only an event can change it. */
            changesAt: string | null;
            /** For an audience: the condition, then its parts. */
            condition?: {
                /** A JSON Pointer into the condition. */
                pointer: string;
                kind: "and" | "or" | "not" | "clause";
                holds: boolean;
                /** When the result can next change without a new event. null: only an event can change it. */
                changesAt: string | null;
                /** The clause, as it appears in the condition. */
                clause?: {
                    [key: string]: any;
                };
                /** The actual result for the user: {"value": …}, with null for a missing value; {"count": 3, "orMore": false}, with orMore: true if there may be more events, because only the newest are stored; or {"member": true}. */
                actual?: {
                    [key: string]: any;
                };
            }[];
            /** For a computed trait: the number of events from which it is computed. */
            events?: number;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/traits/${encodeURIComponent(id)}/explain${QS.query(QS.explode({
        userId
    }))}`, {
        ...opts
    });
}
/**
 * Lists the users who have a value
 */
export function listTraitValues(id: string, { limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: {
                /** null until an event of the profile has a userId. */
                userId: string | null;
                /** Any JSON. */
                value: any;
                /** ISO 8601, UTC. */
                since: string;
            }[];
            /** null on the last page. */
            nextCursor: string | null;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/traits/${encodeURIComponent(id)}/values${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Lists or searches profiles
 */
export function listProfiles({ search, order, space, limit, cursor }: {
    search?: string;
    order?: "largest";
    space?: string;
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: ProfileSummary[];
            /** null on the last page. */
            nextCursor: string | null;
            /** The indexed share of profiles, 0 to 1. Absent: all. */
            indexed?: number;
        };
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/profiles${QS.query(QS.explode({
        search,
        order,
        space,
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Shows a user's profile
 */
export function findProfile(userId: string, { space }: {
    space?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Profile;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/profile${QS.query(QS.explode({
        userId,
        space
    }))}`, {
        ...opts
    });
}
/**
 * Shows a user's profile
 */
export function getProfile(userId: string, { space }: {
    space?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Profile;
    } | {
        status: number;
        data: Problem;
    }>(`/api/v1/profiles/${encodeURIComponent(userId)}${QS.query(QS.explode({
        space
    }))}`, {
        ...opts
    });
}
/**
 * Exports the configuration as one document
 */
export function exportConfiguration({ withSecrets }: {
    withSecrets?: "true" | "false";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The version of the document format: 1. */
            hookline: 1;
            /** Entries in the format of the response to GET /export. */
            sources: {
                id: string;
                /** A string of 1 to 200 characters, not only spaces. */
                name: string;
                enabled: boolean;
                rateLimit: number | null;
                /** The space of the source. If absent, it is not changed. 1 to 50 of the characters a-z, 0-9, _ and -. */
                space?: string;
                /** As for POST /sources. */
                fields?: object | null;
                writeKeys?: string[];
            }[];
            /** Entries in the format of the response to GET /export. */
            destinations: {
                id: string;
                sourceId: string;
                "type": "Webhooks";
                /** A string of 1 to 200 characters, not only spaces. */
                name: string;
                enabled: boolean;
                /** Whether deliveries are held. If absent, it is not changed. */
                paused?: boolean;
                /** As for POST /destinations. */
                settings: {
                    [key: string]: any;
                };
            }[];
            /** Entries in the format of the response to GET /export. */
            audiences?: {
                id: string;
                /** A string of 1 to 200 characters, not only spaces. */
                name: string;
                /** The name of the trait that is sent. */
                key: string;
                /** The space whose profiles are evaluated. 1 to 50 of the characters a-z, 0-9, _ and -. */
                space: string;
                destinationIds: string[];
                enabled: boolean;
                /** As for POST /audiences; null for a manual audience. */
                condition: {
                    [key: string]: any;
                } | {
                    [key: string]: any;
                };
            }[];
            /** Entries in the format of the response to GET /export. */
            traits?: {
                id: string;
                /** A string of 1 to 200 characters, not only spaces. */
                name: string;
                /** The name of the trait that is sent. */
                key: string;
                /** The space whose profiles are evaluated. 1 to 50 of the characters a-z, 0-9, _ and -. */
                space: string;
                destinationIds: string[];
                enabled: boolean;
                /** As for POST /traits. */
                compute: {
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
 * Imports the configuration from a document
 */
export function importConfiguration(body: {
    /** The version of the document format: 1. */
    hookline: 1;
    /** Entries in the format of the response to GET /export. */
    sources: {
        id: string;
        /** A string of 1 to 200 characters, not only spaces. */
        name: string;
        enabled: boolean;
        rateLimit: number | null;
        /** The space of the source. If absent, it is not changed. 1 to 50 of the characters a-z, 0-9, _ and -. */
        space?: string;
        /** As for POST /sources. */
        fields?: object | null;
        writeKeys?: string[];
    }[];
    /** Entries in the format of the response to GET /export. */
    destinations: {
        id: string;
        sourceId: string;
        "type": "Webhooks";
        /** A string of 1 to 200 characters, not only spaces. */
        name: string;
        enabled: boolean;
        /** Whether deliveries are held. If absent, it is not changed. */
        paused?: boolean;
        /** As for POST /destinations. */
        settings: {
            [key: string]: any;
        };
    }[];
    /** Entries in the format of the response to GET /export. */
    audiences?: {
        id: string;
        /** A string of 1 to 200 characters, not only spaces. */
        name: string;
        /** The name of the trait that is sent. */
        key: string;
        /** The space whose profiles are evaluated. 1 to 50 of the characters a-z, 0-9, _ and -. */
        space: string;
        destinationIds: string[];
        enabled: boolean;
        /** As for POST /audiences; null for a manual audience. */
        condition: {
            [key: string]: any;
        } | {
            [key: string]: any;
        };
    }[];
    /** Entries in the format of the response to GET /export. */
    traits?: {
        id: string;
        /** A string of 1 to 200 characters, not only spaces. */
        name: string;
        /** The name of the trait that is sent. */
        key: string;
        /** The space whose profiles are evaluated. 1 to 50 of the characters a-z, 0-9, _ and -. */
        space: string;
        destinationIds: string[];
        enabled: boolean;
        /** As for POST /traits. */
        compute: {
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
            /** Records in this service that are not in the document. They are kept. */
            notInDocument: string[];
            /** Warnings about webhooks that cannot receive requests or will soon be unable to, about short secrets, and about long retry windows. certificate_expired and certificate_expires: the client certificate has expired, or expires within 30 days. address_forbidden: the allowedNetworks setting does not allow the address. name_unresolved: the name has no address; names are looked up when a destination is created, changed, imported or tested. short_secret: a secret has fewer than 24 bytes. retry_window_too_long: retryWindow is not shorter than the retention setting. */
            warnings?: {
                /** A JSON Pointer into the body or the parameters. */
                pointer: string;
                code: string;
                message: string;
                hint: string;
            }[];
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
 * Downloads a copy of the database without stopping the service
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
/**
 * Shows the state of the service: version, checks, storage, backlog, settings
 */
export function getSystem(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            version: string;
            node: string;
            backend: string;
            /** null unless the role is admin. */
            dataDir: string | null;
            /** ISO 8601, UTC. */
            time: string;
            /** ISO 8601, UTC. */
            startedAt: string;
            /** The port for calls, if adminPort is set. */
            callsPort: number | null;
            uptimeMs: number;
            /** The status of /readyz at checkedAt. */
            status: "ok" | "unavailable";
            checks: {
                [key: string]: {
                    ok: boolean;
                    note?: string;
                    reason?: string;
                };
            };
            /** ISO 8601, UTC. */
            checkedAt: string;
            /** The nodes in the service, including nodes lost in the last ten minutes; at most 200. Version, checks, failingWorkers, live and settings describe the responding node. */
            nodes: {
                id: string;
                version: string;
                role: "all" | "ingest" | "deliver" | "api";
                /** ISO 8601, UTC. */
                startedAt: string;
                /** ISO 8601, UTC. */
                lastSeenAt: string;
                /** Whether the node was seen in the last ten seconds. */
                isAlive: boolean;
                /** Whether this node sent the response. */
                isSelf: boolean;
            }[];
            failingWorkers: {
                name: string;
                reason: string;
            }[];
            /** Data corruption found at startup; null unless the role is admin. */
            corruptions: {
                /** ISO 8601, UTC. */
                foundAt: string;
                description: string;
            }[] | null;
            storage: {
                /** Excludes free space inside the database. */
                usedBytes: number;
                databaseBytes: number;
                /** The write-ahead log, or the NATS stream in a cluster. */
                logBytes: number;
                /** On the disk; null in a cluster. */
                freeBytes: number | null;
                events: number;
                /** false: events is an estimate. */
                isExact: boolean;
                /** ISO 8601, UTC. */
                oldestEventAt: string | null;
                retentionMs: number;
                retentionMaxBytes: number | null;
            };
            backlog: {
                /** Events without decisions. */
                undecided: {
                    /** An upper bound: includes dropped duplicates. */
                    events: number;
                    /** ISO 8601, UTC. */
                    oldestAt: string | null;
                    ageMs: number | null;
                };
                /** Events not yet in profiles; null before the first audience or computed trait. */
                notInProfiles: {
                    /** An upper bound: includes dropped duplicates. */
                    events: number;
                    /** ISO 8601, UTC. */
                    oldestAt: string | null;
                    ageMs: number | null;
                } | null;
                /** Pending deliveries. */
                pending: number;
                /** Held deliveries. */
                held: number;
                /** ISO 8601, UTC. */
                oldestPendingAt: string | null;
                oldestPendingAgeMs: number | null;
                quarantined: number;
                openReplays: number;
                openDeletions: number;
            };
            /** Connections to the live tail. */
            live: {
                open: number;
                max: number;
            };
            /** When the last backup download was completed; null before the first one. */
            lastBackupAt: string | null;
            settings: {
                /** The settings in a group are contiguous. */
                group: string;
                name: string;
                flag: string;
                variable: string;
                /** As written in the configuration; null if hidden or not set. */
                value: string | null;
                isSet: boolean;
                "default": string | null;
                help: string;
                /** admins_only: the value is a path, a host or a network. */
                hidden: "secret" | "admins_only" | null;
                /** null: unknown. */
                origin: {
                    kind: "flag" | "environment" | "file" | "default" | "unset";
                    /** The flag, the variable, or, for admins, the file. */
                    name?: string;
                    key?: string;
                } | null;
            }[];
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/system", {
        ...opts
    });
}
/**
 * Lists the current problems, worst first
 */
export function listProblems(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            data: {
                /** Identifies the problem while it lasts. */
                key: string;
                /** The name of the condition: see GET /alerts. */
                condition: "calls_refused" | "deliveries_expired" | "deliveries_rejected" | "damage_found" | "quarantine" | "check_failed" | "disk_low" | "deliveries_expiring" | "webhook_failing" | "deliveries_late" | "webhook_paused" | "write_key_unknown" | "rate_limit_exceeded" | "sync_missed" | "node_lost" | "certificate_expiring" | "retry_window_too_long" | "backup_old" | "destinations_skipped" | "check_warning" | "deliveries_held" | "receiver_throttles" | "ids_unlinked";
                /** data_loss: data was lost. failing: something is failing now. attention: something will fail, or is unusual. */
                severity: "data_loss" | "failing" | "attention";
                title: string;
                remedy: string;
                /** When the problem began; null if unknown. */
                since: string | null;
                /** The number of calls, deliveries, attempts or other items in the title; null if none are counted. */
                count: number | null;
                subject: {
                    /** The subject of the problem. */
                    kind: "service" | "source" | "destination" | "node";
                    /** Empty for the service, and for calls without a known source. */
                    id: string;
                    name: string;
                };
                /** The latest delivery that failed for this reason and has a stored response; the latest one if none has a response. */
                sampleDeliveryId: string | null;
                /** Worst first, with at least one. */
                causes: {
                    title: string;
                    /** null if an earlier cause has the same remedy. */
                    remedy: string | null;
                    /** The URL of the webhook; null if the cause is not about a single webhook. */
                    url: string | null;
                    /** The name of the condition: see GET /alerts. */
                    condition: "calls_refused" | "deliveries_expired" | "deliveries_rejected" | "damage_found" | "quarantine" | "check_failed" | "disk_low" | "deliveries_expiring" | "webhook_failing" | "deliveries_late" | "webhook_paused" | "write_key_unknown" | "rate_limit_exceeded" | "sync_missed" | "node_lost" | "certificate_expiring" | "retry_window_too_long" | "backup_old" | "destinations_skipped" | "check_warning" | "deliveries_held" | "receiver_throttles" | "ids_unlinked";
                    /** data_loss: data was lost. failing: something is failing now. attention: something will fail, or is unusual. */
                    severity: "data_loss" | "failing" | "attention";
                }[];
                /** A path in the console. */
                to: string;
            }[];
            /** ISO 8601, UTC. */
            checkedAt: string;
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/problems", {
        ...opts
    });
}
/**
 * Shows alert conditions and channels
 */
export function getAlerts(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The id of the built-in source, which is created with the first channel. */
            sourceId: string;
            /** Worst first. */
            conditions: {
                condition: string;
                /** The names of the events; null if no alert is sent. */
                events: {
                    start: string;
                    /** Absent if no alert is sent when the condition ends. */
                    end?: string;
                } | null;
                /** See GET /problems. */
                severity: "data_loss" | "failing" | "attention";
                /** When the condition applies. */
                threshold: string;
                meaning: string;
                remedy: string;
            }[];
            /** The destinations of the built-in source. */
            channels: {
                destinationId: string;
                name: string;
                /** One of slack, teams, discord, pagerduty, opsgenie, alertmanager, email, webhook. */
                format: "slack" | "teams" | "discord" | "pagerduty" | "opsgenie" | "alertmanager" | "email" | "webhook";
                /** The host of its first webhook. */
                host: string;
                enabled: boolean;
                /** ISO 8601, UTC. */
                lastDeliveredAt: string | null;
            }[];
            /** The number of alerts held back by the hourly limits. */
            heldBack: number;
        };
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/alerts", {
        ...opts
    });
}
/**
 * Creates a destination that receives alerts
 */
export function addAlertChannel(body: {
    /** The webhook URL of the service that receives the alerts. For email, the mail server and the recipients: smtps://user:password@mail.example.com/?to=ops@example.com. The password is stored as a secret, and removed from the URL. */
    url: string;
    /** One of slack, teams, discord, pagerduty, opsgenie, alertmanager, email, webhook. */
    format: "slack" | "teams" | "discord" | "pagerduty" | "opsgenie" | "alertmanager" | "email" | "webhook";
    /** A string of 1 to 200 characters, not only spaces. */
    name?: string;
    /** Static headers. */
    headers?: {
        [key: string]: any;
    };
    /** The key for pagerduty (X-Routing-Key), opsgenie (GenieKey) or webhook (Bearer), which becomes a static header; or the password for email. */
    key?: string;
}, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Destination;
    } | {
        status: number;
        data: Problem;
    }>("/api/v1/alerts/channels", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
