"""Certificates for servers on 127.0.0.1, valid when a test wants them to be."""

from __future__ import annotations

import ipaddress
import ssl
from datetime import datetime
from pathlib import Path

import pytest


def certificate(folder: Path, first: datetime, last: datetime) -> tuple[ssl.SSLContext, Path]:
    """Return a server's context, and the file by which a client trusts it from ``first`` to ``last``."""
    x509 = pytest.importorskip("cryptography.x509", reason="cryptography makes the servers' certificates")
    hazmat = "cryptography.hazmat.primitives"
    hashes = pytest.importorskip(f"{hazmat}.hashes")
    serialization = pytest.importorskip(f"{hazmat}.serialization")
    key = pytest.importorskip(f"{hazmat}.asymmetric.ec").generate_private_key(
        pytest.importorskip(f"{hazmat}.asymmetric.ec").SECP256R1()
    )
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(first)
        .not_valid_after(last)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    trusted, secret = folder / "certificate.pem", folder / "key.pem"
    trusted.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(trusted, secret)
    return context, trusted
