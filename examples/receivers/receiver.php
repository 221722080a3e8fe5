<?php
declare(strict_types=1);

const INBOX = __DIR__ . '/inbox';
const MAX_BYTES = 4 * 1024 * 1024;
const TOLERANCE_SECONDS = 5 * 60;

function keyOf(string $secret): string
{
    $isBase64 = str_starts_with($secret, 'whsec_');
    $key = $isBase64 ? base64_decode(substr($secret, 6), true) : $secret;
    if ($key === false || $key === '') {
        throw new RuntimeException('HOOKLINE_SECRET is missing or not valid.');
    }
    return $key;
}

function headerOf(string $name): string
{
    return $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? '';
}

function isSigned(string $key, string $body): bool
{
    $id = headerOf('webhook-id');
    $timestamp = headerOf('webhook-timestamp');
    if ($id === '' || !preg_match('/^\d{1,12}$/D', $timestamp)) {
        return false;
    }
    if (abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $hmac = hash_hmac('sha256', "$id.$timestamp.$body", $key, true);
    $expected = 'v1,' . base64_encode($hmac);
    foreach (explode(' ', headerOf('webhook-signature')) as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

/** Stores a delivery on disk. Returns false if the delivery was already stored. */
function store(string $id, string $body): bool
{
    $part = INBOX . '/' . bin2hex(random_bytes(16)) . '.part';
    $path = INBOX . "/$id.json";
    $file = fopen($part, 'x');
    if (!$file || fwrite($file, $body) !== strlen($body) || !fsync($file)) {
        throw new RuntimeException("Cannot write $part.");
    }
    fclose($file);
    $isNew = @link($part, $path);
    unlink($part);
    if (!$isNew && !file_exists($path)) {
        throw new RuntimeException("Cannot write $path.");
    }
    return $isNew;
}

/** Returns the status of the response. */
function receive(): int
{
    $body = file_get_contents('php://input', length: MAX_BYTES + 1);
    if (strlen($body) > MAX_BYTES) {
        return 413;
    }
    if (!isSigned(keyOf(getenv('HOOKLINE_SECRET') ?: ''), $body)) {
        return 401;
    }
    if (!is_dir(INBOX)) {
        @mkdir(INBOX, 0700);
    }
    $id = headerOf('webhook-id');
    error_log((store($id, $body) ? 'stored ' : 'duplicate ') . $id);
    return 200;
}

// The status if an exception is thrown, so that Hookline retries.
http_response_code(500);
http_response_code(receive());
