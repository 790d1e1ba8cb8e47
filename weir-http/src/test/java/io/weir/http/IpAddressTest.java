package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.testkit.RandomHistory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests parsing and formatting of IP addresses and networks. */
class IpAddressTest {

  @ParameterizedTest
  @CsvSource({
    "1.2.3.4, 1.2.3.4",
    "0.0.0.0, 0.0.0.0",
    "255.255.255.255, 255.255.255.255",
    "::, ::",
    "::1, ::1",
    "1::, 1::",
    "2001:DB8::1, 2001:db8::1",
    "2001:0db8:0000:0000:0000:0000:0002:0001, 2001:db8::2:1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
    "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "0:0:0:0:0:0:0:1, ::1",
    "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
    "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
    "::ffff:1.2.3.4, 1.2.3.4",
    "::FFFF:102:304, 1.2.3.4",
    "0:0:0:0:0:ffff:1.2.3.4, 1.2.3.4",
    "::1.2.3.4, ::102:304",
    "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
    "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
    "fe80::1, fe80::1"
  })
  void address_hasOneCanonicalForm(String written, String canonical) {
    assertThat(IpAddress.parse(written)).hasToString(canonical);
    assertThat(IpAddress.parse(canonical)).isEqualTo(IpAddress.parse(written));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "127.1",
        "127",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.",
        ".1.2.3",
        "1..2.3",
        "01.2.3.4",
        "1.2.3.04",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "0x7f000001",
        "2130706433",
        "256.1.1.1",
        "1.2.3.999",
        "1.2.3.4 ",
        " 1.2.3.4",
        "1.2.3.-4",
        "+1.2.3.4",
        "1.2.3.4/32",
        "1,2,3,4",
        "localhost",
        "example.com",
        "a",
        "::1%lo",
        "fe80::1%eth0",
        "[::1]",
        ":",
        ":::",
        "1:::2",
        "1::2::3",
        ":1",
        "1:",
        ":1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8",
        "12345::",
        "::g",
        "::1.2.3",
        "::1.2.3.256",
        "::01.2.3.4",
        "1.2.3.4::",
        "::1.2.3.4:5",
        "1:2:3:4:5:6:7:1.2.3.4",
        "1:2:3:4:5:1.2.3.4",
        "::ffff:1.2.3.4.5",
        "\u0661.2.3.4",
        "１.2.3.4",
        "::\u0661",
        "1.2.3.4\n",
        "1.2.3.4\0",
        "unknown",
        "_hidden",
        "1234567890123456789012345678901234567890:12345"
      })
  void invalidAddress_isNull(String text) {
    assertThat(IpAddress.parse(text)).isNull();
  }

  /** The JDK parses every formatted address to the same value, without a DNS lookup. */
  @Test
  void randomAddress_isReadTheSameByTheJdk() throws UnknownHostException {
    long seed = RandomHistory.seed();
    Random random = new Random(seed);
    for (int step = 0; step < RandomHistory.steps() / 10; step++) {
      byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
      random.nextBytes(bytes);
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = random.nextInt(3) == 0 ? bytes[i] : 0;
      }
      IpAddress address = IpAddress.of(bytes);
      InetAddress jdk = InetAddress.getByAddress(bytes);
      assertThat(IpAddress.parse(jdk.getHostAddress()))
          .as("-Dweir.seed=%d", seed)
          .isEqualTo(address);
      assertThat(IpAddress.parse(address.toString())).as("-Dweir.seed=%d", seed).isEqualTo(address);
      assertThat(InetAddress.getByName(address.toString())).isEqualTo(jdk);
    }
  }

  @Test
  void socketBytes_areConverted() {
    assertThat(IpAddress.of(new byte[] {10, 0, 0, (byte) 200})).hasToString("10.0.0.200");
    byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff, 10, 0, 0, 1};
    assertThat(IpAddress.of(mapped)).hasToString("10.0.0.1");
    assertThatThrownBy(() -> IpAddress.of(new byte[5]))
        .hasMessage("an IP address must have 4 or 16 bytes (was 5)");
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.0.1, true",
    "10.0.0.0/8, 11.0.0.1, false",
    "10.0.0.0/8, ::ffff:10.1.2.3, true",
    "10.1.2.3, 10.1.2.3, true",
    "10.1.2.3/32, 10.1.2.4, false",
    "0.0.0.0/0, 1.2.3.4, true",
    "0.0.0.0/0, ::1, false",
    "::/0, ::1, true",
    "::/0, 1.2.3.4, false",
    "10.0.0.0/31, 10.0.0.1, true",
    "10.0.0.0/31, 10.0.0.2, false",
    "2001:db8::/32, 2001:db8:ffff::1, true",
    "2001:db8::/32, 2001:db9::1, false",
    "2001:db8::/64, 2001:db8::1:0:0:0, true",
    "2001:db8::/65, 2001:db8::8000:0:0:0, false",
    "2001:db8::1, 2001:db8::1, true",
    "2001:db8::1/128, 2001:db8::2, false"
  })
  void network_containsItsAddresses(String network, String address, boolean contains) {
    assertThat(IpNetwork.parse(network).contains(Objects.requireNonNull(IpAddress.parse(address))))
        .isEqualTo(contains);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "10.1.2.3/8 | 10.1.2.3/8 is not the first address of its network; write 10.0.0.0/8",
        "2001:db8::1/64 | 2001:db8::1/64 is not the first address of its network; write 2001:db8::/64",
        "10.0.0.0/33 | prefix length of 10.0.0.0 must be between 0 and 32 (was 33)",
        "::/129 | prefix length of :: must be between 0 and 128 (was 129)",
        "10.0.0.0/ | '10.0.0.0/' is not an IP network, for example 10.0.0.0/8 or 2001:db8::/32",
        "10/8 | '10/8' is not an IP network, for example 10.0.0.0/8 or 2001:db8::/32",
        "10.0.0.0/08 | '10.0.0.0/08' is not an IP network, for example 10.0.0.0/8 or 2001:db8::/32",
        "10.0.0.0/-1 | '10.0.0.0/-1' is not an IP network, for example 10.0.0.0/8 or 2001:db8::/32",
        "localhost | 'localhost' is not an IP network, for example 10.0.0.0/8 or 2001:db8::/32"
      })
  void invalidNetwork_isRejectedWithMessage(String text, String message) {
    assertThatThrownBy(() -> IpNetwork.parse(text)).hasMessage(message);
  }
}
